"""Large logits make room for their gradient where nobody else has them, and stay where somebody has."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from bendtorch.combine import Id
from bendtorch.kernels.memory import LARGE
from bendtorch.keys import Key
from bendtorch.layer import Bwd, Fwd
from bendtorch.layers import Linear, LinearNB, Tanh
from bendtorch.losses import CrossEntropy
from bendtorch.optim import SGD
from bendtorch.train import Train
from tests.support.arrays import labels, numbers, same_bits

N: Final = 4
C: Final = LARGE // (4 * N)
LIN: Any = Linear
NB: Any = LinearNB
TANH: Any = Tanh
ID: Any = Id
CE: Any = CrossEntropy


def keeping(kept: list[Any]) -> Any:
    """A layer that keeps what it gave, as one with a cache would."""
    layer = NB(N, 3, C)

    def fwd(p: Any, x: Any) -> Fwd[Any, Any]:
        out: Fwd[Any, Any] = layer.fwd(p, x)
        kept.append((out.y, out.y.copy()))
        return out

    return dataclasses.replace(layer, fwd=fwd)


MODELS: Final[dict[str, Callable[[], Any]]] = {
    "its logits are nobody else's": lambda: NB(N, 3, C),
    "with a bias": lambda: LIN(N, 3, C),
    "its logits are saved": lambda: NB(N, 3, C) >> TANH(N, C),
    "its logits are kept": lambda: keeping([]),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_step_has_the_bits_of_one_that_writes_over_nothing(model: Callable[[], Any]) -> None:
    layer, x, target, loss = model(), numbers(1, N, 3), labels(2, N, C), CE(N, C)
    trains = [Train.new(layer, SGD(0.5), layer.init(Key(0))) for _ in range(2)]
    losses = [
        [train.step(layer, chosen, x, target) for _ in range(2)]
        for train, chosen in zip(trains, (loss, dataclasses.replace(loss, grad_over=None)), strict=True)
    ]
    assert losses[0] == losses[1]
    assert same_bits(layer.dump(trains[0].p), layer.dump(trains[1].p))


def test_the_gradient_takes_the_place_of_logits_that_nobody_has() -> None:
    layer, places = NB(N, 3, C), []

    def fwd(p: Any, x: Any) -> Fwd[Any, Any]:
        out: Fwd[Any, Any] = layer.fwd(p, x)
        places.append(out.y.ctypes.data)
        return out

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Bwd[Any, Any]:
        places.append(dy.ctypes.data)
        done: Bwd[Any, Any] = layer.bwd(p, s, dy, g)
        return done

    watched = dataclasses.replace(layer, fwd=fwd, bwd=bwd)
    train = Train.new(watched, SGD(0.1), layer.init(Key(0)))
    train.step(watched, CE(N, C), numbers(1, N, 3), labels(2, N, C))
    assert places[0] == places[1]


def test_what_somebody_keeps_stays_as_it_is() -> None:
    kept: list[Any] = []
    model = keeping(kept)
    train = Train.new(model, SGD(0.1), model.init(Key(0)))
    train.step(model, CE(N, C), numbers(1, N, 3), labels(2, N, C))
    assert kept
    assert all(same_bits(given, copy) for given, copy in kept)


def test_an_input_that_is_the_output_stays_as_it_is() -> None:
    model = ID(N, C)
    x = NB(N, 3, C).fwd(np.ones((C, 3), np.float32), numbers(1, N, 3)).y
    before = x.copy()
    train = Train.new(model, SGD(0.1), model.init(Key(0)))
    train.step(model, CE(N, C), x, labels(2, N, C))
    assert same_bits(x, before)
