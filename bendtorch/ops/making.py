"""New matrices: of zeros, of ones, of one number, and with numbers that are not set."""

from __future__ import annotations

from bendtorch.kernels.memory import empty_mat
from bendtorch.ops.guards import Number, number, require_sizes
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N


def empty(n: Dim[N], c: Dim[C]) -> Mat[N, C]:
    """A float32 matrix of n rows and c columns whose numbers are not set; large ones use memory that was freed."""
    require_sizes("empty", n=n, c=c)
    return empty_mat(n, c)


def zeros(n: Dim[N], c: Dim[C]) -> Mat[N, C]:
    """A float32 matrix of zeros."""
    return _filled("zeros", n, c, 0)


def ones(n: Dim[N], c: Dim[C]) -> Mat[N, C]:
    """A float32 matrix of ones."""
    return _filled("ones", n, c, 1)


def full(n: Dim[N], c: Dim[C], value: Number) -> Mat[N, C]:
    """A float32 matrix whose numbers are all `value`."""
    return _filled("full", n, c, value)


def _filled(name: str, n: Dim[N], c: Dim[C], value: Number) -> Mat[N, C]:
    require_sizes(name, n=n, c=c)
    out = empty_mat(n, c)
    out.fill(number(value, name, "value"))
    return out
