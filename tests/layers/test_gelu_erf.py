"""GELUErf: the checks of every layer, and the edge values."""

from __future__ import annotations

import numpy as np

from bendtorch.layers import GELUErf
from tests.support import activations
from tests.support.arrays import same_bits
from tests.support.layers import check_layer

test_gelu_erf = check_layer(GELUErf, 1, activations.GELU_ERF)


def test_edge_values() -> None:
    """Minus infinity gives NaN, and infinity has a gradient of NaN, as in PyTorch; large numbers have exact results."""
    x = np.array([[np.nan, -np.inf, np.inf, -3e38, 3e38, -1e20, 1e20, -200, 200, -0.0, 0.0]], np.float32)
    layer = GELUErf(1, 11)
    forward = layer.fwd((), x)
    assert np.all(np.isnan(forward.y[:, :2]))
    expected = np.array([[np.inf, -0.0, 3e38, -0.0, 1e20, -0.0, 200, -0.0, 0]], np.float32)
    assert same_bits(forward.y[:, 2:], expected)
    dx = layer.bwd((), forward.s, np.full((1, 11), 2, np.float32), ()).dx
    assert np.all(np.isnan(dx[:, :3]))
    assert np.array_equal(dx[:, 3:], np.array([[0, 2, 0, 2, 0, 2, 1, 1]], np.float32))


def test_digits_far_below_zero() -> None:
    """Where 1 + erf has none."""
    x = np.array([[-6, -9, -12.5]], np.float32)
    y = GELUErf(1, 3).fwd((), x).y
    exact = x.astype(np.float64) * activations.normal(x.astype(np.float64))
    assert np.abs(y / exact - 1).max() <= 6e-6
