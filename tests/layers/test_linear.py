"""Linear: the checks of every layer, and its start as PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.keys import Key
from bendtorch.layers import Lin, Linear
from bendtorch.layers.linear import linear_params
from tests.support import references
from tests.support.layers import check_layer

test_linear = check_layer(Linear, 2, references.LINEAR)


def test_starts_within_pytorchs_bound() -> None:
    params = linear_params(400, 50)
    p: Any = params.init(Key(3))
    assert isinstance(p, Lin)
    for array in (p.weight, p.bias):
        assert np.all(np.abs(array) <= 1 / 20)
        assert np.abs(array).max() > 0.9 / 20  # and fills it
    assert abs(float(p.weight.mean())) < 0.001  # 20000 numbers of deviation 1/35: six deviations of the mean


def test_leaves_are_named_as_pytorch_names_them() -> None:
    params = linear_params(4, 3)
    assert [(leaf.name, leaf.shape, leaf.stored_shape) for leaf in params.leaves] == [
        ("weight", (3, 4), (3, 4)),
        ("bias", (1, 3), (3,)),
    ]


def test_example() -> None:
    p: Any = Lin(np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([[10, 20, 30]], np.float32))
    layer = Linear(1, 2, 3)
    forward = layer.fwd(p, np.array([[1, -1]], np.float32))
    backward = layer.bwd(p, forward.s, np.array([[1, 0, 2]], np.float32), layer.zeros())
    assert forward.y.tolist() == [[9, 19, 29]]
    assert backward.dx.tolist() == [[11, 14]]
    assert backward.g.weight.tolist() == [[1, -1], [0, 0], [2, -2]]
    assert backward.g.bias.tolist() == [[1, 0, 2]]
