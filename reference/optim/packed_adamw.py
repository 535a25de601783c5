"""AdamW with moments in bfloat16 beside AdamW of PyTorch's operations on a bfloat16 state.

`torch.optim.AdamW` itself wants weights and state of one type, so its operations are written out here: each moment is
widened, updated in float32, rounded back, and used as rounded. Exact is `torch.optim.AdamW` in float64 with moments
that are never rounded: a packed run is off by what 8 bits forget, a part in 2^9 of each moment at each step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import torch

from bendtorch.optim import PackedAdamW
from reference.compare import Case, Draw, Row, judge_all
from reference.digits import gradient_sequence
from reference.errors import Array
from reference.optim.trajectory import LOOK, STEPS, Snapshots, theirs, weights_of

RATE: Final = 1e-2
# An eighth of a weight: with beta2 = 0.999 a bfloat16 second moment forgets changes of less than a part in 2^9, so over
# 200 steps it lags behind. A packed first moment alone stays within a fortieth.
TOLERANCE: Final = 2.0**24 / 8


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on both kinds of packing."""
    cases = []
    for both in (True, False):
        for eps, decay in ((1e-8, 0.01), (1e-5, 0.1)):
            name = f"{'both' if both else 'first'}, ε {eps} λ {decay}"
            cases.append(Case(name, partial(_draw, both, eps, decay), TOLERANCE, most=6 if quick else 20))
    return judge_all(cases)


def _draw(both: bool, eps: float, decay: float, seed: int) -> Draw:
    start, gradients = gradient_sequence(seed, STEPS)
    optimizer = PackedAdamW(RATE, eps=eps, weight_decay=decay, second=both)
    wide = partial(torch.optim.AdamW, lr=RATE, eps=eps, weight_decay=decay)
    exact, scale = theirs(wide, start, gradients, torch.float64)
    names = [f"w, step {step}" for step in LOOK]
    return Draw(
        weights_of(optimizer, start, gradients),
        _in_torch(both, eps, decay, start, gradients),
        {name: exact[name] for name in names},
        {name: scale[name] for name in names},
    )


def _in_torch(both: bool, eps: float, decay: float, start: Array, gradients: Sequence[Array]) -> Snapshots:
    w, seen = torch.tensor(start), dict[str, Array]()
    m = torch.zeros_like(w, dtype=torch.bfloat16)
    v = torch.zeros_like(w, dtype=torch.bfloat16 if both else torch.float32)
    for step, gradient in enumerate(gradients, start=1):
        g = torch.tensor(gradient)
        w.mul_(1 - RATE * decay)
        m = m.float().lerp_(g, 1 - 0.9).to(m.dtype)
        v = v.float().mul_(0.999).addcmul_(g, g, value=1 - 0.999).to(v.dtype)
        denominator = (v.float().sqrt() / math.sqrt(1 - 0.999**step)).add_(eps)
        w.addcdiv_(m.float(), denominator, value=-RATE / (1 - 0.9**step))
        if step in LOOK:
            seen[f"w, step {step}"] = w.numpy().copy()
    return seen
