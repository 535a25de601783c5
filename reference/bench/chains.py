"""Chains of ten operations on a million numbers, on the tape, beside PyTorch's eager mode and numpy.

The value of a chain, and its value with the gradients of both inputs from a given gradient of the result. Numpy's
derivatives are written by hand, as PyTorch's rules are: each operation by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from bendtorch import grad
from reference.bench.registry import Contest, Row
from reference.inputs import normal

SIZE: Final = 1 << 20
MOVED: Final = {False: 12, True: 24}  # bytes a number: two inputs and the result; with the result's gradient and theirs

Chain = Callable[[Any, Any, Any], Any]


def curved(m: Any, x: Any, y: Any) -> Any:
    """Functions and arithmetic."""
    return m.sigmoid(m.tanh(m.exp(-(m.square(x) * 2.0)) + y) * y - x) * x


def straight(m: Any, x: Any, y: Any) -> Any:
    """Sums and products only."""
    z = x * y + x
    z = z * y - x
    z = z * x + y
    z = z * y - x
    return z * x + y


def _numpy_curved(x: Any, y: Any, ct: Any) -> list[Any]:
    e = np.exp(-(np.square(x) * np.float32(2)))
    t = np.tanh(e + y)
    s = 1 / (1 + np.exp(-(t * y - x)))
    found = [s * x]
    if ct is not None:
        du = ct * x * s * (1 - s)
        dv = du * y * (1 - t * t)
        found += [ct * s - du - dv * e * np.float32(2) * (x + x), du * t + dv]
    return found


def _numpy_straight(x: Any, y: Any, ct: Any) -> list[Any]:
    steps = ((y, 1), (y, -1), (x, 1), (y, -1), (x, 1))
    others = (x, x, y, x, y)
    values = [x]
    for (factor, sign), other in zip(steps, others, strict=True):
        product = values[-1] * factor
        values.append(product + other if sign > 0 else product - other)
    if ct is None:
        return [values[-1]]
    gradients = {id(x): np.zeros_like(x), id(y): np.zeros_like(y)}
    d = ct
    for (factor, sign), other, before in zip(reversed(steps), reversed(others), reversed(values[:-1]), strict=True):
        gradients[id(other)] = gradients[id(other)] + d if sign > 0 else gradients[id(other)] - d
        gradients[id(factor)] = gradients[id(factor)] + d * before
        d = d * factor
    return [values[-1], gradients[id(x)] + d, gradients[id(y)]]


CHAINS: Final[dict[str, tuple[Chain, Callable[[Any, Any, Any], list[Any]]]]] = {
    "with functions": (curved, _numpy_curved),
    "of sums and products": (straight, _numpy_straight),
}


def rows() -> Iterator[Row]:
    """Both chains, without and with their gradients."""
    for name, (chain, by_hand) in CHAINS.items():
        for gradients in (False, True):
            what = f"ten operations {name}" + (", forward and backward" if gradients else "")
            yield Row(what, partial(_contest, chain, by_hand, gradients), traffic=MOVED[gradients] * SIZE)


def _contest(chain: Chain, by_hand: Callable[[Any, Any, Any], list[Any]], gradients: bool) -> Contest:
    rng = np.random.default_rng(0)
    x, y, ct = (normal(rng, (SIZE,)) for _ in range(3))
    seed = torch.from_numpy(ct)
    leaves = [torch.tensor(a, requires_grad=gradients) for a in (x, y)]

    def ours() -> list[Any]:
        g = grad.graph()
        inputs = [g.input(x), g.input(y)]
        out = chain(grad, *inputs)
        found = [g.value(out)]
        if gradients:
            back = g.backward_from(out, ct)
            found += [back.of(v) for v in inputs]
        return found

    def eager() -> list[Any]:
        out = chain(torch, *leaves)
        return [out, *(torch.autograd.grad(out, leaves, seed) if gradients else ())]

    return Contest(ours, {"eager": eager, "numpy": lambda: by_hand(x, y, ct if gradients else None)})
