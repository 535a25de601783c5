"""The tape: values have no sizes; layers made from functions on them have, and layers put on a tape keep their types."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import assert_type

from bendtorch import Dim, Key, Layer, Lin, Linear, Mat, ReLU, Unit, grad
from bendtorch.layer import matrix, no_params
from bendtorch.shapes.dims import C, I, N, O


def softsign(x: grad.Var) -> grad.Var:
    return x / (grad.abs(x) + 1.0)


def product(x: grad.Var, weight: grad.Var) -> grad.Var:
    return x @ weight


def Softsign(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], grad.Past]:
    return grad.layer_of(softsign, n, c, c, no_params())


def Product(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[I, O], Mat[N, I], Mat[N, O], grad.Past]:
    return grad.layer_of(product, n, i, o, matrix(i, o), name="Product")


def composed(n: Dim[N]) -> Layer[Any, Mat[N, 3], Mat[N, 5], Any]:
    return Linear(n, 3, 4) >> Softsign(n, 4) >> Product(n, 4, 5) >> ReLU(n, 5)


def on_a_tape(g: grad.Graph, x: grad.Var) -> None:
    layer = Linear(8, 3, 2)
    block = grad.record(layer, g, layer.init(Key(0)))
    loss = grad.mean(grad.square(block(x)))
    assert_type(block.gradient(g.backward(loss)), Lin[3, 2])


def arithmetic(g: grad.Graph, x: grad.Var) -> None:
    a = np.ones((3, 4), np.float32)
    assert_type(2.0 * x + a - x / 3 * x, grad.Var)
    assert_type(-(x @ a), grad.Var)
    assert_type(g.gradients(grad.sum(x), [x])[0], grad.Var)
    two, three = np.float32(2), np.int64(3)
    assert_type(x + two - three * x, grad.Var)
    assert_type(x * two / three - two, grad.Var)
    assert_type(two * x + two / x, grad.Var)
    assert_type(two - x + np.float64(2) * x, grad.Var)
