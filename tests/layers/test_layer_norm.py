"""LayerNorm: the checks of every layer, large means, constant rows, its start, and `eps`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.errors import ConfigError
from bendtorch.keys import Key
from bendtorch.layers import Affine, LayerNorm
from tests.support import row_references
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import shrunk

test_layer_norm = check_layer(LayerNorm, 1, row_references.layer_norm, eps=(1e-5, 0.1))

LAYER_NORM: Any = LayerNorm
AFFINE: Any = Affine


def judged(n: int, c: int, x: Any, eps: float = 1e-5) -> None:
    """Both passes are within their bounds, which do not grow with the mean."""
    dy, p = numbers(4, n, c), AFFINE(numbers(5, 1, c), numbers(6, 1, c))
    layer, expected = LAYER_NORM(n, c, eps=eps), row_references.layer_norm(n, c, eps)
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    wide = (p.weight.astype(np.float64), p.bias.astype(np.float64)), x.astype(np.float64)
    assert expected.forward(*wide).holds(forward.y)
    gradients = expected.backward(*wide, dy.astype(np.float64))
    assert gradients.dx.holds(backward.dx)
    assert gradients.dp[0].holds(backward.g.weight)
    assert gradients.dp[1].holds(backward.g.bias)


@pytest.mark.parametrize("mean", [1e2, -1e4, 1e6])
@pytest.mark.parametrize("eps", [0.0, 1e-5])
def test_a_large_mean_costs_no_accuracy(mean: float, eps: float) -> None:
    judged(5, 67, numbers(1, 5, 67) + np.float32(mean), eps)


def test_an_outlier_at_the_front_costs_no_accuracy() -> None:
    """The first number of a row is the pivot of its moments."""
    x = numbers(1, 3, shrunk(3000, 50)) + np.float32(3)
    x[:, 0] = (1e4, -1e6, 1e8)
    judged(3, x.shape[1], x)


@pytest.mark.parametrize("size", [1e-30, 1e-20, 1e15, 1e30])
def test_sizes_whose_squares_a_float32_cannot_hold(size: float) -> None:
    x = (numbers(1, 3, 67) * np.float64(size)).astype(np.float32)
    p = AFFINE(np.ones((1, 67), np.float32), np.zeros((1, 67), np.float32))
    expected = row_references.layer_norm(3, 67, 0.0)
    y = expected.forward((np.ones((1, 67)), np.zeros((1, 67))), x.astype(np.float64)).value
    assert LAYER_NORM(3, 67, eps=0.0).fwd(p, x).y == pytest.approx(y, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e4, 3e38, 1e-45])
@pytest.mark.parametrize("c", [1, 3, 1000])
def test_a_row_of_equal_numbers_gives_the_bias(c: int, value: float) -> None:
    p = AFFINE(numbers(1, 1, c), numbers(2, 1, c))
    layer = LAYER_NORM(2, c)
    forward = layer.fwd(p, np.full((2, c), value, np.float32))
    assert np.array_equal(forward.y, np.broadcast_to(p.bias, (2, c)))
    assert np.all(np.isfinite(layer.bwd(p, forward.s, numbers(3, 2, c), layer.zeros()).dx))


@pytest.mark.parametrize(("n", "c"), [(2, shrunk(200_000, 400)), (shrunk(5000, 40), 10), (shrunk(1000, 33), 33)])
def test_long_rows_and_many_rows(n: int, c: int) -> None:
    judged(n, c, numbers(3, n, c, scale=3.0))


def test_starts_as_ones_and_zeros_which_are_vectors_in_files() -> None:
    layer = LAYER_NORM(2, 3)
    p = layer.init(Key(0))
    assert isinstance(p, Affine)
    assert same_bits(p.weight, np.ones((1, 3), np.float32))
    assert same_bits(p.bias, np.zeros((1, 3), np.float32))
    assert [(leaf.name, leaf.stored_shape) for leaf in layer.leaves] == [("weight", (3,)), ("bias", (3,))]


@pytest.mark.parametrize("eps", [-1e-9, np.nan, np.inf, "1e-5", None, True])
def test_eps_is_a_number_from_0_on(eps: Any) -> None:
    with pytest.raises(ConfigError, match=r"LayerNorm\(2, 3\): eps .* must be a number from 0 on, got "):
        LAYER_NORM(2, 3, eps=eps)
