"""Sums and maxima of rows and of columns. They stay matrices, so the arithmetic of rows and columns takes them.

Sums are taken in blocks or in float64 and rounded once at the end, so long ones do not forget small numbers.
"""

from __future__ import annotations

from bendtorch.errors import ShapeError
from bendtorch.kernels import sums
from bendtorch.kernels.linear import add_column_sums
from bendtorch.kernels.memory import empty_mat
from bendtorch.ops.guards import operand
from bendtorch.ops.making import zeros
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, N


def row_sums(x: Mat[N, C]) -> Mat[N, 1]:
    """The sum of each row, n × 1: PyTorch's `x.sum(1, keepdim=True)`."""
    x = operand(x, "row_sums", "x")
    out = empty_mat(x.shape[0], 1)
    sums.row_sums(x, out)
    return out


def column_sums(x: Mat[N, C]) -> Mat[1, C]:
    """The sum of each column, 1 × c: PyTorch's `x.sum(0, keepdim=True)`; a bias's gradient."""
    x = operand(x, "column_sums", "x")
    out = zeros(1, x.shape[1])
    add_column_sums(x, out)
    return out


def row_maxima(x: Mat[N, C]) -> Mat[N, 1]:
    """The largest number of each row, n × 1: PyTorch's `x.amax(1, keepdim=True)`; NaN where a row has NaN.

    Of zeros of both signs it may be either. Raises `ShapeError` when x has rows but no columns.
    """
    x = operand(x, "row_maxima", "x")
    if x.shape[1] == 0 and x.shape[0] > 0:
        raise ShapeError(f"row_maxima: x must have columns, got Mat{list(x.shape)}; no number is the largest of none")
    out = empty_mat(x.shape[0], 1)
    sums.row_maxima(x, out)
    return out
