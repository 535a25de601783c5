"""Products of matrices, by the kernels of the layers.

    matmul(x, y)                  (…, m, k)·(k, n) -> (…, m, n)
    batch_matmul(x, y, ta, tb)    (b, m, k)·(b, k, n) -> (b, m, n), each side stored transposed where ta or tb says so

A product with a transposed factor reads it where it is: `matmul(x, transpose(w))` copies nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from bendtorch.errors import ShapeError
from bendtorch.grad.arrays import matrix_of, new_array
from bendtorch.grad.lazy import Lazy, known, value
from bendtorch.grad.rule import Bilinear
from bendtorch.grad.shapes import TRANSPOSE
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Array, Operand, Var, beside
from bendtorch.kernels import products
from bendtorch.kernels.batch_products import batch_product


def multiply(x: Array, y: Array, ta: bool, tb: bool) -> Array:
    """The product of two arrays. One of two axes beside one of three is one matrix for the whole batch."""
    if y.ndim == 2 and not ta:
        return _of_rows(x, y, tb)
    if x.ndim == y.ndim == 2 and not tb:
        return _of_columns(x, y)
    k, m = x.shape[-2:] if ta else x.shape[:-3:-1]
    n = y.shape[-2] if tb else y.shape[-1]
    batch = x.shape[:-2] or y.shape[:-2]
    out = new_array((*batch, m, n))
    if k == 0:
        out.fill(0)
    elif out.size:
        steps = [a.shape[-2] * a.shape[-1] if a.ndim > 2 else 0 for a in (x, y)]
        batch_product(ta, tb, x.reshape(-1), steps[0], y.reshape(-1), steps[1], out.reshape(-1, m, n), k)
    return out


def _of_rows(x: Array, y: Array, tb: bool) -> Array:
    """Every row of x times one matrix."""
    k, n = y.shape[::-1] if tb else y.shape
    out = new_array((*x.shape[:-1], n))
    if k == 0:
        out.fill(0)
    elif out.size:
        kernel: Any = products.matmul_nt if tb else products.matmul_nn
        kernel(matrix_of(x), y, matrix_of(out))
    return out


def _of_columns(x: Array, y: Array) -> Array:
    """xᵀ·y of matrices: the sum of their rows' outer products."""
    out = new_array((x.shape[1], y.shape[1]))
    if x.shape[0] == 0:
        out.fill(0)
    elif out.size:
        kernel: Any = products.matmul_tn
        kernel(x, y, out)
    return out


@dataclass(frozen=True, slots=True)
class Product(Bilinear):
    """op(x)·op(y). Its derivatives are products of the same two with the gradient, so nothing is ever transposed."""

    ta: bool
    tb: bool
    name = "matmul"

    def value(self, *xs: Lazy) -> Lazy:
        """The product, now."""
        x, y = xs
        return known(multiply(value(x), value(y), self.ta, self.tb))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """d·yᵀ for x, xᵀ·d for y; turned round where the factor is stored transposed."""
        x, y = xs
        if i == 0:
            return product(y, d, self.tb, True) if self.ta else product(d, y, False, not self.tb)
        if x.ndim > 2 and y.ndim == 2 and not self.ta:  # one matrix for all rows
            return d.graph.record2(OUTER, d, x) if self.tb else d.graph.record2(OUTER, x, d)
        return product(d, x, True, self.ta) if self.tb else product(x, d, not self.ta, False)


class Outer(Bilinear):
    """xᵀ·y over the rows of all leading axes: (…, m)·(…, n) -> (m, n), the sum of the rows' outer products."""

    __slots__ = ()
    name = "matmul"

    def value(self, *xs: Lazy) -> Lazy:
        """The product, now."""
        x, y = xs
        return known(_of_columns(matrix_of(value(x)), matrix_of(value(y))))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """y·dᵀ for x, x·d for y."""
        x, y = xs
        return product(y, d, False, True) if i == 0 else product(x, d, False, False)


OUTER: Final = Outer()
PRODUCTS: Final = {(ta, tb): Product(ta, tb) for ta in (False, True) for tb in (False, True)}


def product(x: Var, y: Var, ta: bool, tb: bool) -> Var:
    """op(x)·op(y) of Vars whose shapes fit."""
    return x.graph.record2(PRODUCTS[ta, tb], x, y)


def _cast_product(x: Var, y: Var, ta: bool, tb: bool) -> Var:
    """The same in the tape's precision."""
    precision = x.graph.precision
    return product(x, y, ta, tb) if precision is None else precision.product(PRODUCTS[ta, tb], x, y)


def matmul(x: Operand, y: Operand) -> Var:
    """(…, m, k)·(k, n), and (b, m, k)·(b, k, n): PyTorch's `x @ y` for these.

    Raises `ShapeError` for other shapes.
    """
    if not isinstance(x, Var):
        guard_vars("matmul", y)
        assert isinstance(y, Var)
        x = beside(y, x, "matmul")
    y = beside(x, y, "matmul")
    if y.ndim == 2 and x.ndim >= 2:
        source, tb = stored(y)
        if x.ndim == 2:
            left, ta = stored(x)
        else:
            left, ta = x, False
        if x.shape[-1] != y.shape[0]:
            raise _unfit("matmul", x.shape, y.shape)
        return _cast_product(left, source, ta, tb)
    if x.ndim == 3 and y.ndim == 3:
        return batch_matmul(x, y)
    raise ShapeError(
        f"matmul: expected (…, m, k)·(k, n) or (b, m, k)·(b, k, n), got the shapes {list(x.shape)} and {list(y.shape)}"
    )


def batch_matmul(x: Var, y: Var, ta: bool = False, tb: bool = False) -> Var:
    """The products of a batch: x is (b, m, k), or with `ta` (b, k, m); y (b, k, n), with `tb` (b, n, k).

    y may also be one matrix, (k, n) or with `tb` (n, k), for the whole batch. PyTorch's `torch.bmm`, and the transposes
    copy nothing. Raises `ShapeError` for shapes that do not fit.
    """
    guard_vars("batch_matmul", x, y)
    fits = x.ndim == 3 and (y.ndim == 2 or (y.ndim == 3 and x.shape[0] == y.shape[0]))
    if not fits or x.shape[1 if ta else 2] != y.shape[-1 if tb else -2]:
        raise _unfit("batch_matmul", x.shape, y.shape, ta, tb)
    (left, turned), (right, flipped) = stored(x), stored(y)
    return _cast_product(left, right, bool(ta) != turned, bool(tb) != flipped)


def stored(x: Var) -> tuple[Var, bool]:
    """What a value is a transpose of, where that has not been computed yet, and whether it is one."""
    if x.rule is TRANSPOSE and x.lazy.value is None:
        return x.inputs[0], True
    return x, False


def _unfit(operation: str, x: tuple[int, ...], y: tuple[int, ...], ta: bool = False, tb: bool = False) -> ShapeError:
    turned = [" transposed" if flag else "" for flag in (ta, tb)]
    return ShapeError(
        f"{operation}: the shapes {list(x)}{turned[0]} and {list(y)}{turned[1]} do not fit:"
        " the inner sizes, and the batches where both have one, must be equal"
    )
