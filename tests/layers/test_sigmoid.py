"""Sigmoid: the checks of every layer, and the edge values."""

from __future__ import annotations

import numpy as np

from bendtorch.layers import Sigmoid
from tests.support import activations
from tests.support.arrays import same_bits
from tests.support.layers import check_layer

test_sigmoid = check_layer(Sigmoid, 1, activations.SIGMOID)


def test_edge_values() -> None:
    x = np.array([[np.nan, -np.inf, -200, -0.0, 0.0, 200, np.inf]], np.float32)
    layer = Sigmoid(1, 7)
    forward = layer.fwd((), x)
    assert np.isnan(forward.y[0, 0])
    assert same_bits(forward.y[:, 1:], np.array([[0, 0, 0.5, 0.5, 1, 1]], np.float32))
    dx = layer.bwd((), forward.s, np.full((1, 7), -4, np.float32), ()).dx
    assert same_bits(dx[:, 1:], np.array([[-0.0, -0.0, -1, -1, -0.0, -0.0]], np.float32))
    assert np.isnan(dx[0, 0])


def test_results_below_the_normal_range() -> None:
    """Where e^-x is infinite in float32."""
    x = np.array([[-90, -95, -103]], np.float32)
    y = Sigmoid(1, 3).fwd((), x).y
    assert np.abs(y - np.exp(x.astype(np.float64))).max() <= 2.0**-149
