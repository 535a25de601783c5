"""`ops.row_sums`, `column_sums` and `scatter_add_rows` beside `torch.sum` and `index_add`."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import torch

from bendtorch import ops
from reference.compare import Case, Draw, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, cancelling, mixed, normal, planted, positive, scaled

SIZES: Final = ((1, 1), (3, 7), (33, 65), (5, 1000), (1000, 5), (7, 49_152), (20_000, 9), (512, 768))
TABLE: Final = 10
KINDS: Final[dict[str, Fill]] = {
    "positive": positive,
    "large": scaled(1e30),
    "below the normal range": scaled(1e-40),
    "mixed sizes": mixed,
    "cancelling": cancelling,
    "NaN": planted(normal, np.nan),
    "infinities": planted(normal, np.inf, -np.inf),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on the sums."""
    cases = [_case("normal", normal, size) for size in SIZES]
    return judge_all(cases + [_case(kind, fill, size) for kind, fill in KINDS.items() for size in SIZES[2:6]])


def _case(kind: str, fill: Fill, size: tuple[int, int]) -> Case:
    name = f"{kind}, {size[0]}×{size[1]}"

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        x, ids = fill(rng, size), rng.integers(0, TABLE, size[0])
        squares = _theirs(np.square(x.astype(np.float64)), ids)
        return Draw(
            ours={
                "rows": ops.row_sums(x),
                "columns": ops.column_sums(x),
                "scattered": ops.scatter_add_rows(TABLE, ids, x),
            },
            theirs=_theirs(x, ids),
            exact=_theirs(x.astype(np.float64), ids),
            scale={key: np.sqrt(value) for key, value in squares.items()},
        )

    return Case(name, draw, 8 + 4 * math.sqrt(max(size)), most=60)


def _theirs(x: Array, ids: Array) -> Mapping[str, Array]:
    """PyTorch's sums, in the type of x."""
    tensor = torch.from_numpy(x)
    table = torch.zeros(TABLE, x.shape[1], dtype=tensor.dtype)
    return {
        "rows": tensor.sum(1, keepdim=True).numpy(),
        "columns": tensor.sum(0, keepdim=True).numpy(),
        "scattered": table.index_add(0, torch.from_numpy(ids), tensor).numpy(),
    }
