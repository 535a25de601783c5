"""Optimizer steps over ten million parameters, beside PyTorch's fused ones on one flat tensor: its best case.

All run at the speed of memory. Ours also gives the gradient back zeroed, which PyTorch leaves to its user; the bytes
counted are those of the step alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np
import torch

from bendtorch import SGD, AdamW, Momentum, PackedAdamW
from bendtorch.optim import Optimizer
from bendtorch.optim.state import new_state
from bendtorch.optim.step import step_flat
from reference.bench.registry import Contest, Row
from reference.inputs import normal

COUNT: Final = 10_000_000
RATE: Final = 1e-3


def rows() -> Iterator[Row]:
    """Each optimizer; the bytes are those of weights, gradient and moments, read and (but for the gradient) written."""
    kinds: tuple[tuple[str, Optimizer, Callable[[list[torch.Tensor]], torch.optim.Optimizer], int], ...] = (
        ("SGD", SGD(RATE), partial(torch.optim.SGD, lr=RATE, fused=True), 12),
        ("Momentum", Momentum(RATE), partial(torch.optim.SGD, lr=RATE, momentum=0.9, fused=True), 20),
        ("AdamW", AdamW(RATE), partial(torch.optim.AdamW, lr=RATE, fused=True), 28),
        ("AdamW packed", PackedAdamW(RATE), partial(torch.optim.AdamW, lr=RATE, fused=True), 20),
        ("AdamW packed first", PackedAdamW(RATE, second=False), partial(torch.optim.AdamW, lr=RATE, fused=True), 24),
    )
    for name, optimizer, theirs, moved in kinds:
        yield Row(f"{name} 10 M", partial(_step, optimizer, theirs), traffic=moved * COUNT)


def _step(optimizer: Optimizer, theirs: Callable[[list[torch.Tensor]], torch.optim.Optimizer]) -> Contest:
    rng = np.random.default_rng(0)
    w, g = normal(rng, (COUNT,)), normal(rng, (COUNT,)) * np.float32(0.01)
    state, opt = new_state(optimizer, lambda: np.zeros(w.size, np.float32), w.size), optimizer.at(1)
    parameter = torch.tensor(w, requires_grad=True)
    parameter.grad = torch.tensor(g)
    step = theirs([parameter])
    return Contest(lambda: step_flat(opt, w, g, state), {"fused": step.step})
