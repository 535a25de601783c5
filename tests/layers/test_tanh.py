"""Tanh: the checks of every layer, and the edge values."""

from __future__ import annotations

import numpy as np

from bendtorch.layers import Tanh
from tests.support import activations
from tests.support.arrays import same_bits
from tests.support.layers import check_layer

test_tanh = check_layer(Tanh, 1, activations.TANH)


def test_edge_values() -> None:
    x = np.array([[np.nan, -np.inf, -20, -0.0, 0.0, 1e-45, 20, np.inf]], np.float32)
    layer = Tanh(1, 8)
    forward = layer.fwd((), x)
    assert np.isnan(forward.y[0, 0])
    assert same_bits(forward.y[:, 1:], np.array([[-1, -1, -0.0, 0, 1e-45, 1, 1]], np.float32))
    dx = layer.bwd((), forward.s, np.full((1, 8), 3, np.float32), ()).dx
    assert same_bits(dx[:, 1:], np.array([[0, 0, 3, 3, 3, 0, 0]], np.float32))
    assert np.isnan(dx[0, 0])
