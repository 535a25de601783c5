"""Dropout beside PyTorch's multiplication by the same mask.

PyTorch draws its masks from a generator of its own, so it is given ours, worked out here in whole numbers: what is
compared is which numbers are kept, and how they are scaled.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from bendtorch import Dropout
from bendtorch.layer.counter import new_counter
from reference.compare import Case, Draw, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, normal, planted, scaled

SIZES: Final = ((0, 3), (1, 1), (7, 10), (33, 65), (100, 128))
PROBABILITIES: Final = (0.0, 0.1, 0.5, 0.9, 1.0)
KINDS: Final[dict[str, Fill]] = {
    "huge": scaled(1e37),
    "tiny": scaled(1e-39),
    "with NaN and infinity": planted(normal, np.nan, np.inf, -np.inf),
}
WORD: Final = 2**32


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Dropout."""
    cases = [_case(f"normal, {n}×{c}, p {p}", (n, c), p, normal) for n, c in SIZES for p in PROBABILITIES]
    cases += [_case(kind, (33, 65), 0.3, fill) for kind, fill in KINDS.items()]
    return judge_all(cases)


def _case(name: str, size: tuple[int, int], p: float, fill: Fill) -> Case:
    return Case(name, partial(_draw, size, p, fill), 2.0, most=20)


def _draw(size: tuple[int, int], p: float, fill: Fill, draw: int) -> Draw:
    rng = np.random.default_rng(draw)
    x, dy = fill(rng, size), normal(rng, size)
    seed, step = (int(word) for word in rng.integers(0, WORD, 2))
    n, c = size
    layer: Any = Dropout(n, c, p, seed)
    counter = new_counter(step)
    forward = layer.fwd(counter, x)
    ours = {"y": forward.y, "dx": layer.bwd(counter, forward.s, dy, layer.zeros()).dx}
    kept = mask(size, p, seed, step)
    return Draw(ours, _in_torch(x, dy, p, kept, torch.float32), _in_torch(x, dy, p, kept, torch.float64))


def _in_torch(x: Array, dy: Array, p: float, kept: Array, dtype: torch.dtype) -> dict[str, Array]:
    wide = torch.tensor(x, dtype=dtype, requires_grad=True)
    share = torch.tensor(p, dtype=torch.float32).to(dtype)  # the layer's probability is a float32
    factors = torch.from_numpy(kept).to(dtype) * (1 / (1 - share) if p < 1 else 0)
    y = wide * factors
    (dx,) = torch.autograd.grad(y, [wide], torch.tensor(dy, dtype=dtype))
    return {"y": y.detach().numpy(), "dx": dx.numpy()}


def mask(size: tuple[int, int], p: float, seed: int, step: int) -> Array:
    """1 where a number is kept, by Python's whole numbers."""
    key = mixed(seed ^ mixed(step))
    fractions = [(mixed((key + i) % WORD) >> 8) / 2**24 for i in range(size[0] * size[1])]
    return np.array([fraction >= np.float32(p) for fraction in fractions], np.float32).reshape(size)


def mixed(x: int) -> int:
    """lowbias32."""
    x ^= x >> 16
    x = x * 0x7FEB352D % WORD
    x ^= x >> 15
    x = x * 0x846CA68B % WORD
    return x ^ (x >> 16)
