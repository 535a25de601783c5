"""What PyTorch's samples do not show of the tape: norms, rotations, heads in groups, gradients as values, a network.

A gradient that is a value has its own derivatives: its tangent is a Hessian times a vector, forward over reverse, and
its vector-Jacobian product the same, reverse over reverse.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional as of

from bendtorch import grad
from reference.compare import Case, Draw, Row, judge_all
from reference.grad.judged import Program, draw
from reference.layers.rope import Formula

TOLERANCE: Final = 64
EPS: Final = 1e-5
HALF, HEADS, GROUP, POSITIONS = 3, 2, 3, 5


def _rotated(x: torch.Tensor) -> torch.Tensor:
    rows = x.reshape(-1, x.shape[-1])
    return Formula(x.shape[-2], HALF)(rows).reshape(x.shape)


def _attended(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Heads in groups, step by step; the query at place i sees the keys up to i."""
    one, two, three = (
        x.reshape(*x.shape[:2], HEADS, -1, width).permute(0, 2, 3, 1, 4) for x, width in ((q, 4), (k, 4), (v, 3))
    )
    scores = one @ two.transpose(-1, -2) / math.sqrt(4)
    hidden = torch.triu(torch.ones(scores.shape[-2:], dtype=torch.bool), 1)
    y = torch.softmax(scores.masked_fill(hidden, -math.inf), -1) @ three
    return y.permute(0, 3, 1, 2, 4).reshape(*q.shape[:2], -1)


def _network(m: Any, x: Any, w: Any, v: Any) -> Any:
    """A loss of two layers, of either library's functions."""
    hidden = m.tanh(x @ w)
    y = m.sigmoid(hidden @ v) * hidden
    return m.sum(m.exp(-(y * y)) / (y * y + 1.0))


def _our_gradient(x: grad.Var, w: grad.Var, v: grad.Var) -> grad.Var:
    g = x.graph
    assert isinstance(g, grad.Graph)
    return g.gradients(_network(grad, x, w, v), [w])[0]


def _our_curvature(call: Callable[..., grad.Var]) -> Callable[[grad.Var], grad.Var]:
    """The derivative of the sum of an activation."""

    def slope(x: grad.Var) -> grad.Var:
        g = x.graph
        assert isinstance(g, grad.Graph)
        return g.gradients(grad.sum(call(x)), [x])[0]

    return slope


def _their_curvature(call: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    return torch.func.grad(lambda x: call(x).sum())


GELU: Final = partial(of.gelu, approximate="tanh")
PROGRAMS: Final[dict[str, tuple[Callable[..., grad.Var], Callable[..., torch.Tensor], tuple[tuple[int, ...], ...]]]] = {
    "layer_norm": (grad.layer_norm, lambda x, w, b: of.layer_norm(x, w.shape, w, b, EPS), ((4, 3, 17), (17,), (17,))),
    "rms_norm": (grad.rms_norm, lambda x, w: of.rms_norm(x, w.shape, w, EPS), ((4, 3, 17), (17,))),
    "rope": (lambda x: grad.rope(x, 2 * HALF), _rotated, ((2, POSITIONS, 2 * HALF * HEADS),)),
    "attention, heads in groups": (
        lambda q, k, v: grad.attention(q, k, v, causal=True, heads=HEADS, group=GROUP),
        _attended,
        ((2, POSITIONS, 4 * HEADS * GROUP), (2, 7, 4 * HEADS), (2, 7, 3 * HEADS)),
    ),
    "network": (partial(_network, grad), partial(_network, torch), ((9, 5), (5, 7), (7, 7))),
    "network's gradient": (_our_gradient, torch.func.grad(partial(_network, torch), 1), ((9, 5), (5, 7), (7, 7))),
    "derivative of gelu": (_our_curvature(grad.gelu), _their_curvature(GELU), ((40,),)),
    "derivative of gelu_erf": (_our_curvature(grad.gelu_erf), _their_curvature(of.gelu), ((40,),)),
    "derivative of silu": (_our_curvature(grad.silu), _their_curvature(of.silu), ((40,),)),
    "derivative of softmax": (
        _our_curvature(lambda x: grad.square(grad.softmax(x))),
        _their_curvature(lambda x: torch.softmax(x, -1).square()),
        ((6, 9),),
    ),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on every program."""
    return judge_all([Case(name, partial(_drawn, name), TOLERANCE, most=40 if quick else 200) for name in PROGRAMS])


def _drawn(name: str, seed: int) -> Draw:
    ours, theirs, shapes = PROGRAMS[name]
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    return draw([Program(ours, theirs, [rng.standard_normal(shape, np.float32) for shape in shapes], True)], seed)
