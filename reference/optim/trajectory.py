"""Optimizers on one sequence of gradients: ours, PyTorch's in float32, and PyTorch's in float64.

The gradients are those of 200 steps of training on real digits, so that all three see the same ones whatever their
weights are. A weight's scale is the largest it has been on its way: each step rounds it at its size of the time.
PyTorch's are its optimizers as they are made by default (on a CPU: one tensor at a time, not fused).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
import torch

from bendtorch.optim import OneMoment, Optimizer, TwoMoments
from bendtorch.optim.state import new_state
from bendtorch.optim.step import step_flat
from reference.compare import Case, Draw, Row, judge_all
from reference.digits import gradient_sequence
from reference.errors import Array

Make: TypeAlias = Callable[[list[torch.Tensor]], torch.optim.Optimizer]
Change: TypeAlias = Callable[[Array, int], Array]
Snapshots: TypeAlias = dict[str, Array]

STEPS: Final = 200
LOOK: Final = (1, 10, 100, 200)
MOMENTS: Final = {"momentum_buffer": "m", "exp_avg": "m", "exp_avg_sq": "v"}


def _times(factor: float) -> Change:
    return lambda g, step: g * np.float32(factor)


def _sparse(g: Array, step: int) -> Array:
    """Nine gradients of ten are zero, others at each step."""
    return np.where(np.random.default_rng(step).random(g.shape) < 0.9, np.float32(0), g)


def _with_holes(g: Array, step: int) -> Array:
    """Ten steps of the run have a NaN or an infinity."""
    g = g.copy()
    if step % 20 == 0:
        g[step : step + 3] = np.nan, np.inf, -np.inf
    return g


CHANGES: Final[tuple[tuple[str, Change], ...]] = (
    ("real", _times(1)),
    ("large, times 1e12", _times(1e12)),
    ("small, times 1e-8", _times(1e-8)),
    ("tiny, times 1e-20", _times(1e-20)),
    ("sparse", _sparse),
    ("with NaN and infinity", _with_holes),
)
# beta2 and 1 - lr·decay are float32 numbers that act in every step: what they are off by adds up, a rounding a step.
TOLERANCE: Final = 2 * STEPS


def rows_of(pairs: Sequence[tuple[str, Optimizer, Make]], quick: bool) -> Iterator[Row]:
    """The verdicts on settings of an optimizer: the first on all gradients, the others on the real ones."""
    cases = []
    for place, (name, optimizer, make) in enumerate(pairs):
        for kind, change in CHANGES if place == 0 else CHANGES[:1]:
            cases.append(_case(f"{name}, {kind}", optimizer, make, change, 6 if quick else 20))
    return judge_all(cases)


def _case(name: str, optimizer: Optimizer, make: Make, change: Change, most: int) -> Case:
    def draw(seed: int) -> Draw:
        start, real = gradient_sequence(seed, STEPS)
        gradients = [change(g, step) for step, g in enumerate(real)]
        exact, scale = theirs(make, start, gradients, torch.float64)
        return Draw(ours(optimizer, start, gradients), theirs(make, start, gradients, torch.float32)[0], exact, scale)

    return Case(name, draw, TOLERANCE, most=most)


def weights_of(optimizer: Optimizer, start: Array, gradients: Sequence[Array]) -> Snapshots:
    """Our weights at the steps of `LOOK`."""
    return {name: array for name, array in ours(optimizer, start, gradients).items() if name.startswith("w")}


def ours(optimizer: Optimizer, start: Array, gradients: Sequence[Array]) -> Snapshots:
    """Our trajectory: the weights at the steps of `LOOK`, and the moments at the end."""
    w, state = start.copy(), new_state(optimizer, lambda: np.zeros(start.size, np.float32), start.size)
    seen: Snapshots = {}
    for step, gradient in enumerate(gradients, start=1):
        g = gradient.copy()
        step_flat(optimizer.at(step), w, g, state)
        if g.any():
            raise AssertionError("a step must give the gradient back zeroed")
        if step in LOOK:
            seen[f"w, step {step}"] = w.copy()
    if isinstance(state, (OneMoment, TwoMoments)):
        seen["m"] = state.m
    if isinstance(state, TwoMoments):
        seen["v"] = state.v
    return seen


def theirs(make: Make, start: Array, gradients: Sequence[Array], dtype: torch.dtype) -> tuple[Snapshots, Snapshots]:
    """PyTorch's trajectory, and the scales: the largest that each number has been so far."""
    w = torch.tensor(start, dtype=dtype, requires_grad=True)
    optimizer = make([w])
    seen: Snapshots = {}
    scales: Snapshots = {}
    most: dict[str, Array] = {"w": np.abs(start)}
    for step, gradient in enumerate(gradients, start=1):
        w.grad = torch.tensor(gradient, dtype=dtype)
        optimizer.step()
        now = {"w": w.detach().numpy(), **_moments(optimizer, w)}
        most = {name: np.maximum(most.get(name, 0), np.abs(array)) for name, array in now.items()}
        if step in LOOK:
            seen[f"w, step {step}"], scales[f"w, step {step}"] = now.pop("w").copy(), most["w"].copy()
    return {**seen, **{k: v for k, v in now.items() if k != "w"}}, {**scales, **most}


def _moments(optimizer: torch.optim.Optimizer, w: torch.Tensor) -> Snapshots:
    state = optimizer.state[w]
    return {ours: state[theirs].numpy() for theirs, ours in MOMENTS.items() if state.get(theirs) is not None}
