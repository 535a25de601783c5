"""Rows taken from a matrix by number, and rows added into one: the two passes of an embedding."""

from __future__ import annotations

from bendtorch.errors import ShapeError
from bendtorch.kernels import indexing
from bendtorch.kernels.memory import empty_mat
from bendtorch.ops.guards import guard_positions, operand, require_sizes
from bendtorch.ops.making import zeros
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import D, Dim, N, V


def gather_rows(table: Mat[V, D], ids: Ids[N]) -> Mat[N, D]:
    """Row ids[r] of the table as row r: PyTorch's `table[ids]`.

    Raises `IndexRangeError` for an id outside of 0 to v - 1: a negative one does not count from the end.
    """
    table = operand(table, "gather_rows", "table")
    positions = guard_positions(ids, table.shape[0], "gather_rows")
    out = empty_mat(positions.shape[0], table.shape[1])
    indexing.gather_rows(table, positions, out)
    return out


def scatter_add_rows(v: Dim[V], ids: Ids[N], x: Mat[N, D]) -> Mat[V, D]:
    """Zeros, v × d, with row r of x added to row ids[r]: PyTorch's `zeros(v, d).index_add(0, ids, x)`.

    Rows with the same id add up in the order of x. Raises `IndexRangeError` for an id outside of 0 to v - 1.
    """
    require_sizes("scatter_add_rows", v=v)
    x = operand(x, "scatter_add_rows", "x")
    positions = guard_positions(ids, v, "scatter_add_rows")
    if len(positions) != len(x):
        raise ShapeError(
            f"scatter_add_rows: x must have {len(positions)} rows, one for each of the ids, got Mat{list(x.shape)}"
        )
    out = zeros(v, x.shape[1])
    indexing.scatter_add_rows(positions, x, out)
    return out
