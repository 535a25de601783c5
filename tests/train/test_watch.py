"""Where NaN or infinity first appears, planted in each place of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bendtorch import CrossEntropy, Dropout, Key, Linear, Loss, LossOut, ReLU, Repeat, Residual
from bendtorch.layer import Bwd, Fwd, make_layer, matrix
from bendtorch.layer.params import Params
from bendtorch.train.watch import first_not_finite
from tests.support.arrays import numbers, same_bits

N, C = 4, 3
LOSS: Any = CrossEntropy(N, C)
TARGET = np.array([0, 1, 2, 0])
dense: Any = Linear(N, C, C)
relu: Any = ReLU(N, C)
drop: Any = Dropout(N, C, 0.5, 1)
identity: Params[Any] = relu


def broken(forward: bool) -> Any:
    """The identity, whose output or gradient has a NaN."""

    def spoiled(x: Any) -> Any:
        x = x.copy()
        x[0, 0] = np.nan
        return x

    return make_layer(
        identity, lambda p, x: Fwd(spoiled(x) if forward else x, ()), lambda p, s, dy, g: Bwd(spoiled(dy), g)
    )


def found(model: Any, change: Callable[[Any], None] = lambda p: None, x: Any = None, loss: Any = LOSS) -> str | None:
    p = model.init(Key(1))
    change(p)
    before = model.dump(p)
    with np.errstate(all="ignore"):
        answer = first_not_finite(model, loss, p, numbers(0, N, C) if x is None else x, TARGET)
    assert same_bits(model.dump(p), before)
    return answer


def test_nothing_where_all_is_finite() -> None:
    assert found(Repeat(3, Residual(dense >> drop)) >> relu) is None


def test_in_the_input() -> None:
    x = numbers(0, N, C)
    x[1, 1] = np.inf
    assert found(dense >> relu, x=x) == "the input of the model"


def test_in_the_parameters() -> None:
    def spoil(p: Any) -> None:
        p[1].bias[0, 2] = np.nan

    assert found(dense >> relu >> dense, spoil) == "the parameters of layer 3, Linear(4, 3, 3)"


def test_in_the_parameters_of_a_copy() -> None:
    def spoil(p: Any) -> None:
        p[1][0].weight[0, 0] = np.inf

    assert found(Repeat(3, dense >> drop), spoil) == "the parameters of layer 3, Linear(4, 3, 3)"


def test_in_an_output() -> None:
    assert found(dense >> broken(forward=True) >> dense) == "the output of layer 2, layer()"

    def large(p: Any) -> None:
        p[1].weight[...] = 3e38

    x = np.full((N, C), 1e3, np.float32)
    assert found(dense >> dense, large, x) == "the output of layer 2, Linear(4, 3, 3)"


def test_in_a_gradient() -> None:
    assert found(dense >> broken(forward=False) >> relu) == "the gradient of the input of layer 2, layer()"


def test_in_a_gradient_of_the_parameters() -> None:
    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        g[0, 1] = np.inf
        return Bwd(dy, g)

    layer: Any = make_layer(matrix(1, C), lambda p, x: Fwd(x, ()), bwd)
    assert found(dense >> layer >> relu) == "the gradient of the parameters of layer 2, layer()"


@pytest.mark.parametrize("loss", [np.nan, 1.0])
def test_in_the_loss(loss: float) -> None:
    def grad(y: Any, target: Any) -> Any:
        return LossOut(loss, np.full_like(y, np.inf))

    assert found(dense, loss=Loss("mine", grad, lambda y, target: loss)) == "the loss, mine, of a finite output"


def test_the_bits_of_a_counter_are_no_number() -> None:
    def count(p: Any) -> None:
        p[1][0, 0] = 0x7FC00001  # NaN, as a float32

    assert found(dense >> drop, count) is None
