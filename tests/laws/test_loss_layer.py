"""A loss as a layer: its value is the output, its gradient times dy is dx."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch import MSE
from bendtorch.laws.loss_layer import loss_layer
from bendtorch.laws.nest import mapped
from tests.support.arrays import numbers, same_bits

mse: Any = MSE


def test_its_passes_are_those_of_the_loss() -> None:
    y, target, loss = numbers(1, 3, 2), numbers(2, 3, 2), mse(3, 2)
    layer = loss_layer(loss, target)
    forward = layer.fwd((), y)
    assert forward.y.tolist() == [[np.float32(loss.value(y, target))]]
    dx = layer.bwd((), forward.s, np.array([[3]], np.float32), ()).dx
    assert same_bits(dx, loss.grad(y, target).dy * np.float32(3))
    assert str(layer) == "MSE()"
    assert mapped(np.shape, layer.zeros()) == ()
