"""The operations of `bendtorch.ops` beside PyTorch's: a million numbers, square, in short rows and in long ones.

Both sides make a new result and check their arguments. Products are in `products`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from bendtorch import Ids, Mat, ops
from bendtorch.shapes.dims import C, N
from reference.bench.registry import Contest, Row
from reference.inputs import positive

SHAPES: Final = ((1024, 1024), (65_536, 16), (16, 65_536))


@dataclass(frozen=True, slots=True)
class Operands:
    """A matrix, another, a row, a column, and the numbers of rows: numpy's on our side, PyTorch's on theirs."""

    x: Any
    y: Any
    row: Any
    column: Any
    ids: Any


def _scattered(x: Mat[N, C], ids: Ids[N]) -> object:
    n = len(x)
    return ops.scatter_add_rows(n, ids, x)


Operation = Callable[[Operands], object]

OPERATIONS: Final[dict[str, tuple[int, Operation, Operation]]] = {
    "add": (12, lambda o: ops.add(o.x, o.y), lambda o: o.x + o.y),
    "add_row": (8, lambda o: ops.add_row(o.x, o.row), lambda o: o.x + o.row),
    "divide_column": (8, lambda o: ops.divide_column(o.x, o.column), lambda o: o.x / o.column),
    "scale": (8, lambda o: ops.scale(o.x, 3), lambda o: o.x * 3),
    "sqrt": (8, lambda o: ops.sqrt(o.x), lambda o: o.x.sqrt()),
    "accumulate": (12, lambda o: ops.accumulate(o.y, o.x), lambda o: o.y.add_(o.x)),
    "row_sums": (4, lambda o: ops.row_sums(o.x), lambda o: o.x.sum(1, keepdim=True)),
    "column_sums": (4, lambda o: ops.column_sums(o.x), lambda o: o.x.sum(0, keepdim=True)),
    "row_maxima": (4, lambda o: ops.row_maxima(o.x), lambda o: o.x.amax(1, keepdim=True)),
    "transpose": (8, lambda o: ops.transpose(o.x), lambda o: o.x.t().contiguous()),
    "concat_columns": (16, lambda o: ops.concat_columns(o.x, o.y), lambda o: torch.cat([o.x, o.y], 1)),
    "gather_rows": (8, lambda o: ops.gather_rows(o.x, o.ids), lambda o: o.x[o.ids]),
    "scatter_add_rows": (
        8,
        lambda o: _scattered(o.x, o.ids),
        lambda o: torch.zeros_like(o.x).index_add_(0, o.ids, o.x),
    ),
}
"""The bytes that each moves for a number of x, and the two sides of it."""


def rows() -> Iterator[Row]:
    """Every operation at every shape."""
    for name, (moved, ours, theirs) in OPERATIONS.items():
        for n, c in SHAPES:
            yield Row(f"{name} {n}×{c}", partial(_contest, ours, theirs, n, c), traffic=moved * n * c)


def _contest(ours: Operation, theirs: Operation, n: int, c: int) -> Contest:
    rng = np.random.default_rng(0)
    x, y, row, column = (positive(rng, shape) for shape in ((n, c), (n, c), (1, c), (n, 1)))
    mine = Operands(x, y, row, column, rng.integers(0, n, n))
    of = torch.tensor
    other = Operands(of(x), of(y), of(row), of(column), of(mine.ids))
    return Contest(lambda: ours(mine), {"eager": lambda: theirs(other)})
