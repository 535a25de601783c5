"""`ops.matmul`, `matmul_nt` and `matmul_tn` beside PyTorch's `@`."""

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
from reference.inputs import Fill, cancelling, mixed, normal, overflowing, planted, positive

SIZES: Final = ((1, 1, 1), (1, 4096, 3), (5, 576, 768), (33, 65, 17), (257, 784, 129), (9, 20_000, 10))
KINDS: Final[dict[str, Fill]] = {
    "positive": positive,
    "mixed sizes": mixed,
    "cancelling": cancelling,
    "overflowing": overflowing,
    "NaN": planted(normal, np.nan),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on the products."""
    cases = [_case("normal", normal, size) for size in SIZES]
    return judge_all(cases + [_case(kind, fill, size) for kind, fill in KINDS.items() for size in SIZES[3:5]])


def _case(kind: str, fill: Fill, size: tuple[int, int, int]) -> Case:
    n, k, m = size
    name = f"{kind}, {n}×{k}·{k}×{m}"

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        a, b = fill(rng, (n, k)), fill(rng, (k, m))
        left, right = a.T.copy(), b.T.copy()
        squares = _theirs(np.square(a.astype(np.float64)), np.square(b.astype(np.float64)))
        return Draw(
            ours={"nn": ops.matmul(a, b), "nt": ops.matmul_nt(a, right), "tn": ops.matmul_tn(left, b)},
            theirs=_theirs(a, b),
            exact=_theirs(a.astype(np.float64), b.astype(np.float64)),
            scale={key: np.sqrt(value) for key, value in squares.items()},
        )

    return Case(name, draw, 8 + 4 * math.sqrt(max(size)), most=60 if n * k * m < 1 << 21 else 30)


def _theirs(a: Array, b: Array) -> Mapping[str, Array]:
    """PyTorch's products, in the type of a and b, of factors stored as ours are."""
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    left, right = x.t().contiguous().t(), y.t().contiguous().t()
    return {"nn": (x @ y).numpy(), "nt": (x @ right).numpy(), "tn": (left @ y).numpy()}
