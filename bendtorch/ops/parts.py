"""Parts of matrices, and matrices put together: slices, concatenation, transpose. The numbers are copied bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.kernels import indexing
from bendtorch.kernels.memory import empty_mat
from bendtorch.ops.guards import COLUMNS, ROWS, operand, require_bounds, require_equal
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import A, B, C, Dim, M, N


def rows(x: Mat[N, C], start: Dim[A], stop: Dim[B]) -> Mat["B-A", C]:
    """The rows from `start` up to, without, `stop`: numpy's `x[start:stop]`, but in a matrix of its own.

    Raises `ShapeError` unless 0 <= start <= stop <= n: bounds count from the start and are not cut off.
    """
    x = operand(x, "rows", "x")
    require_bounds("rows", start, stop, x, ROWS)
    out = empty_mat(stop - start, x.shape[1])
    part: Any = x[start:stop]  # of that size because of the check, which is out of the type checker's sight
    np.copyto(out, part)
    return out


def columns(x: Mat[N, C], start: Dim[A], stop: Dim[B]) -> Mat[N, "B-A"]:
    """The columns from `start` up to, without, `stop`: numpy's `x[:, start:stop]`, but in a matrix of its own.

    Raises `ShapeError` unless 0 <= start <= stop <= c.
    """
    x = operand(x, "columns", "x")
    require_bounds("columns", start, stop, x, COLUMNS)
    out = empty_mat(x.shape[0], stop - start)
    part: Any = x[:, start:stop]
    np.copyto(out, part)
    return out


def concat_rows(a: Mat[N, C], b: Mat[M, C]) -> Mat["N+M", C]:
    """The rows of a, then those of b: PyTorch's `cat([a, b], 0)`. Raises `ShapeError` for other numbers of columns."""
    a, b = operand(a, "concat_rows", "a"), operand(b, "concat_rows", "b")
    require_equal("concat_rows", a, COLUMNS, b, COLUMNS)
    n, m = a.shape[0], b.shape[0]
    out = empty_mat(n + m, a.shape[1])
    out[:n], out[n:] = a, b
    return out


def concat_columns(a: Mat[N, A], b: Mat[N, B]) -> Mat[N, "A+B"]:
    """The columns of a, then those of b: PyTorch's `cat([a, b], 1)`. Raises `ShapeError` for other numbers of rows."""
    a, b = operand(a, "concat_columns", "a"), operand(b, "concat_columns", "b")
    require_equal("concat_columns", a, ROWS, b, ROWS)
    i, o = a.shape[1], b.shape[1]
    out = empty_mat(a.shape[0], i + o)
    out[:, :i], out[:, i:] = a, b
    return out


def transpose(x: Mat[N, C]) -> Mat[C, N]:
    """xᵀ, in C order. A product with a transposed factor needs none: `matmul_nt`, `matmul_tn`."""
    x = operand(x, "transpose", "x")
    out = empty_mat(x.shape[1], x.shape[0])
    indexing.transpose(x, out)
    return out
