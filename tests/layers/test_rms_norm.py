"""RMSNorm: the checks of every layer, large and small numbers, its start, and `eps`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.errors import ConfigError
from bendtorch.keys import Key
from bendtorch.layers import RMSNorm
from tests.support import row_references
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import shrunk

test_rms_norm = check_layer(RMSNorm, 1, row_references.rms_norm, eps=(1e-5, 0.1))

RMS_NORM: Any = RMSNorm


@pytest.mark.parametrize("size", [1e-37, 1e-30, 1e-20, 1e20, 1e30, 1e38])
def test_sizes_whose_squares_a_float32_cannot_hold(size: float) -> None:
    """Without `eps`, a row and the row times any factor give the same."""
    x, dy, layer = numbers(1, 3, 67), numbers(2, 3, 67), RMS_NORM(3, 67, eps=0.0)
    p = numbers(3, 1, 67)
    scaled = np.clip(x * np.float64(size), -3e38, 3e38).astype(np.float32)
    forward, expected = layer.fwd(p, scaled), row_references.rms_norm(3, 67, 0.0)
    wide = scaled.astype(np.float64)
    assert expected.forward((p.astype(np.float64),), wide).value == pytest.approx(forward.y, rel=1e-5)
    gradients = expected.backward((p.astype(np.float64),), wide, dy.astype(np.float64))
    g = layer.zeros()
    dx = layer.bwd(p, forward.s, dy, g).dx
    assert dx.astype(np.float64) * size == pytest.approx(gradients.dx.value * size, abs=1e-4)
    assert g == pytest.approx(gradients.dp[0].value, abs=1e-4)


def test_a_row_of_zeros_is_zeros() -> None:
    layer = RMS_NORM(2, 3)
    forward = layer.fwd(np.ones((1, 3), np.float32), np.zeros((2, 3), np.float32))
    assert same_bits(forward.y, np.zeros((2, 3), np.float32))
    dx = layer.bwd(np.ones((1, 3), np.float32), forward.s, np.ones((2, 3), np.float32), layer.zeros()).dx
    assert dx == pytest.approx(np.full((2, 3), 1e-5**-0.5))


@pytest.mark.parametrize(("n", "c"), [(2, shrunk(200_000, 400)), (shrunk(5000, 40), 10), (shrunk(1000, 33), 33)])
def test_long_rows_and_many_rows(n: int, c: int) -> None:
    x, dy, p = numbers(3, n, c, scale=3.0), numbers(4, n, c), numbers(5, 1, c)
    layer, expected = RMS_NORM(n, c), row_references.rms_norm(n, c, 1e-5)
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    wide = (p.astype(np.float64),), x.astype(np.float64)
    assert expected.forward(*wide).holds(forward.y)
    gradients = expected.backward(*wide, dy.astype(np.float64))
    assert gradients.dx.holds(backward.dx)
    assert gradients.dp[0].holds(backward.g)


def test_the_gain_starts_as_ones_and_is_a_vector_in_files() -> None:
    layer = RMS_NORM(2, 3)
    assert same_bits(layer.init(Key(0)), np.ones((1, 3), np.float32))
    assert [(leaf.name, leaf.shape, leaf.stored_shape) for leaf in layer.leaves] == [("weight", (1, 3), (3,))]


@pytest.mark.parametrize("eps", [-1e-9, np.nan, np.inf, "1e-5", None, True])
def test_eps_is_a_number_from_0_on(eps: Any) -> None:
    with pytest.raises(ConfigError, match=r"RMSNorm\(2, 3\): eps .* must be a number from 0 on, got "):
        RMS_NORM(2, 3, eps=eps)
