"""Matrix products, with one or the other factor transposed: forward a·b, backward a·bᵀ and aᵀ·b.

They have the same bits at any number of threads. No transposed copy is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bendtorch.kernels import products
from bendtorch.kernels.memory import empty_mat
from bendtorch.ops.guards import COLUMNS, ROWS, operand, require_equal
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import K, M, N


def matmul(a: Mat[N, K], b: Mat[K, M]) -> Mat[N, M]:
    """a·b: PyTorch's `a @ b`. Raises `ShapeError` when b has not as many rows as a has columns."""
    a, b = operand(a, "matmul", "a"), operand(b, "matmul", "b")
    require_equal("matmul", a, COLUMNS, b, ROWS)
    out = empty_mat(a.shape[0], b.shape[1])
    _product(products.matmul_nn, a, b, out, a.shape[1])
    return out


def matmul_nt(a: Mat[N, K], b: Mat[M, K]) -> Mat[N, M]:
    """a·bᵀ: PyTorch's `a @ b.T`. Raises `ShapeError` when b has not as many columns as a has columns."""
    a, b = operand(a, "matmul_nt", "a"), operand(b, "matmul_nt", "b")
    require_equal("matmul_nt", a, COLUMNS, b, COLUMNS)
    out = empty_mat(a.shape[0], b.shape[0])
    _product(products.matmul_nt, a, b, out, a.shape[1])
    return out


def matmul_tn(a: Mat[K, N], b: Mat[K, M]) -> Mat[N, M]:
    """aᵀ·b: PyTorch's `a.T @ b`. Raises `ShapeError` when b has not as many rows as a has rows."""
    a, b = operand(a, "matmul_tn", "a"), operand(b, "matmul_tn", "b")
    require_equal("matmul_tn", a, ROWS, b, ROWS)
    out = empty_mat(a.shape[1], b.shape[1])
    _product(products.matmul_tn, a, b, out, a.shape[0])
    return out


def _product(
    kernel: Callable[[Any, Any, Any], None], a: Mat[Any, Any], b: Mat[Any, Any], out: Mat[Any, Any], inner: int
) -> None:
    """The product into `out`; a sum of no terms is zero, and BLAS is not asked for it."""
    if inner == 0:
        out.fill(0)
    elif out.size:
        kernel(a, b, out)
