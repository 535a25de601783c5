"""ReLU: the checks of every layer, and the edge values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.layers import ReLU
from tests.support import references
from tests.support.arrays import numbers, same_bits, special_numbers
from tests.support.layers import check_layer
from tests.support.sizes import rows, seeds, widths

test_relu = check_layer(ReLU, 1, references.RELU)


def test_edge_values() -> None:
    x = np.array([[np.nan, -0.0, 0.0, -np.inf, np.inf, -1, 2, 1e-45, -1e-45]], np.float32)
    layer = ReLU(1, 9)
    forward = layer.fwd((), x)
    assert same_bits(forward.y, np.array([[np.nan, -0.0, 0, 0, np.inf, 0, 2, 1e-45, 0]], np.float32))
    dx = layer.bwd((), forward.s, np.full((1, 9), -3, np.float32), ()).dx
    assert same_bits(dx, np.array([[-3, 0, 0, 0, -3, 0, -3, -3, 0]], np.float32))


@given(n=rows, c=widths, seed=seeds)
def test_every_bit_of_any_number(n: int, c: int, seed: int) -> None:
    x, dy = special_numbers(seed, n, c), special_numbers(seed + 1, n, c)
    layer = ReLU(n, c)
    forward = layer.fwd((), x)
    assert same_bits(forward.y, np.where(x < 0, np.float32(0), x))
    assert same_bits(layer.bwd((), forward.s, dy, ()).dx, np.where(forward.y <= 0, np.float32(0), dy))


@given(n=rows, c=widths, seed=seeds, power=st.integers(-20, 20))
def test_scales_with_a_positive_factor(n: int, c: int, seed: int, power: int) -> None:
    """L67."""
    x, factor = numbers(seed, n, c), np.float32(2.0**power)
    layer = ReLU(n, c)
    assert same_bits(layer.fwd((), x * factor).y, layer.fwd((), x).y * factor)


@given(n=rows, c=widths, seed=seeds)
def test_commutes_with_permuting_the_batch(n: int, c: int, seed: int) -> None:
    """L52."""
    x, order = numbers(seed, n, c), np.random.default_rng(seed).permutation(n)
    layer = ReLU(n, c)
    assert same_bits(layer.fwd((), x[order]).y, layer.fwd((), x).y[order])
