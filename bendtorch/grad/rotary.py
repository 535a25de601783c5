"""rope: rotary position embedding, by the kernel of the layer `RoPE`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.grad.arrays import matrix_of, new_array
from bendtorch.grad.lazy import Lazy, deferred
from bendtorch.grad.rule import Linear
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Array, Var
from bendtorch.kernels.rope import rotate
from bendtorch.layers.rope import check_rope_options, rope_tables


@dataclass(frozen=True, slots=True, eq=False)
class Rotate(Linear):
    """Pairs rotated by the angles of tables."""

    cos: Any
    sin: Any
    opposite: Any
    interleaved: bool
    name = "rope"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, later."""
        return deferred(xs[0].shape, self._rotated, xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Rotated back."""
        return d.graph.record1(Rotate(self.cos, self.opposite, self.sin, self.interleaved), d)

    def _rotated(self, x: Array) -> Array:
        out = new_array(x.shape)
        if x.size:
            matrices: list[Any] = [matrix_of(x), matrix_of(out)]
            rotate(matrices[0], self.cos, self.sin, self.interleaved, matrices[1])
        return out


def rope(
    x: Var, head_dim: int | None = None, *, base: float = 10000.0, offset: int = 0, interleaved: bool = False
) -> Var:
    """Rotary position embedding of x (…, t, columns), whose columns are heads of `head_dim` numbers (one, without it).

    Row r of the t is at position r + offset; `base` and `interleaved` are the layer's. Raises `ShapeError` when
    head_dim is odd or does not divide the columns, `ConfigError` for another option.
    """
    guard_vars("rope", x)
    if x.ndim < 2 or not x.shape[-1]:
        raise ShapeError(f"rope: x must be (…, t, columns) with at least one column, got the shape {list(x.shape)}")
    width = x.shape[-1] if head_dim is None else head_dim
    if isinstance(width, bool) or not isinstance(width, int):
        raise DtypeError(f"rope: head_dim must be an int, got {head_dim!r}")
    if width < 2 or width % 2 or x.shape[-1] % width:
        raise ShapeError(f"rope: head_dim must be even and divide the {x.shape[-1]} columns, got {width}")
    check_rope_options("rope", base, offset, interleaved)
    cos, sin, opposite = rope_tables(x.shape[-2], width // 2, float(base), offset)
    return x.graph.record1(Rotate(cos, sin, opposite, interleaved), x)
