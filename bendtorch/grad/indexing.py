"""Rows of a table, by number, with the kernels of the layer `Embedding`: reading them, and adding rows into a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from bendtorch.grad.arrays import new_array
from bendtorch.grad.lazy import Lazy, deferred
from bendtorch.grad.rule import Linear
from bendtorch.grad.shapes import reshape
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Array, Var
from bendtorch.kernels.embedding import embedding_backward
from bendtorch.kernels.indexing import gather_rows
from bendtorch.kernels.labels import first_outside
from bendtorch.shapes.guard import guard_ids


@dataclass(frozen=True, slots=True, eq=False)
class Gather(Linear):
    """Rows of a table."""

    ids: Any
    name = "embedding"

    def value(self, *xs: Lazy) -> Lazy:
        """A copy of the rows, later."""
        shape = (self.ids.size, xs[0].shape[1])

        def gathered(table: Array) -> Array:
            out: Any = new_array(shape)
            if out.size:
                gather_rows(table, self.ids, out)
            result: Array = out
            return result

        return deferred(shape, gathered, xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Each row of d is added to the row of the table that it was read from."""
        return d.graph.record1(Scatter(self.ids, xs[0].shape[0]), d)


@dataclass(frozen=True, slots=True, eq=False)
class Scatter(Linear):
    """Rows added into a table of zeros."""

    ids: Any
    rows: int
    name = "scatter"

    def value(self, *xs: Lazy) -> Lazy:
        """The table, later."""
        shape = (self.rows, xs[0].shape[1])

        def scattered(d: Array) -> Array:
            out: Any = new_array(shape)
            out.fill(0)
            if d.size:
                embedding_backward(d, self.ids, -1, out)
            result: Array = out
            return result

        return deferred(shape, scattered, xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The rows again."""
        return d.graph.record1(Gather(self.ids), d)


def embedding(table: Var, ids: Any) -> Var:
    """Rows `ids` of a table (rows, width): (…, width) for ids of any shape, as the layer `Embedding`.

    Gradients of rows that are read more than once add up. Raises `IndexRangeError` for an id that is no row.
    """
    guard_vars("embedding", table)
    if table.ndim != 2:
        raise ShapeError(f"embedding: the table must be (rows, width), got the shape {list(table.shape)}")
    if not isinstance(ids, np.ndarray):
        raise DtypeError(f"embedding: ids must be a numpy array of ids, got {type(ids).__name__}")
    flat = guard_ids(ids.reshape(-1), math.prod(ids.shape), "embedding", "ids")
    wrong = first_outside(flat, table.shape[0], 0)
    if wrong >= 0:
        raise IndexRangeError(f"embedding: ids[{wrong}] is {flat[wrong]}, ids go from 0 to {table.shape[0] - 1}")
    rows = table.graph.record1(Gather(flat), table)
    return rows if ids.ndim == 1 else reshape(rows, (*ids.shape, table.shape[1]))
