"""Attention: every check of layers, special scores, sequences of many tiles, and its options."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Attention
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.kernels.compile import JIT
from tests.support import attention as references
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import seeds, shrunk

layer: Final[Any] = Attention
few: Final = st.sampled_from((1, 2, 3))
heads: Final = st.tuples(st.sampled_from((1, 2, 5, 34) if JIT else (1, 2, 3)), few, few, st.sampled_from((1, 2, 5, 17)))

test_attention = check_layer(
    Attention, heads, references.attention, large=(3, 67, 2, 2, 16), scale=(0.3, 1.0), causal=(True, False)
)


def arrays(seed: int, b: int, t: int, kv: int, g: int, hd: int) -> tuple[Any, Any]:
    """An input and a gradient of the output."""
    q, k, v, dy = (numbers(seed + i, b * t, c) for i, c in enumerate((kv * g * hd, kv * hd, kv * hd, kv * g * hd)))
    return (q, (k, v)), dy


def passes(attention: Any, x: Any, dy: Any) -> tuple[Any, Any, Any, Any]:
    """y, dq, dk, dv."""
    forward = attention.fwd((), x)
    dq, (dk, dv) = attention.bwd((), forward.s, dy, ()).dx
    return forward.y, dq, dk, dv


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("t", [1, *(shrunk(t, t % 5 + 1) for t in (31, 32, 33, 64, 65, 200))])
@pytest.mark.parametrize("hd", [1, shrunk(64, 4), shrunk(65, 5), shrunk(300, 3)])
def test_tiles_of_every_size(t: int, hd: int, causal: bool) -> None:
    """Around the sizes of blocks of queries and of runs of keys; heads wider than a run of a product."""
    sizes = (2, t, 1, 2, hd)
    x, dy = arrays(t + hd, *sizes)
    reference, wide = (
        references.attention(*sizes, causal=causal),
        (x[0].astype("f8"), tuple(a.astype("f8") for a in x[1])),
    )
    y, dq, dk, dv = passes(layer(*sizes, causal=causal), x, dy)
    assert reference.forward((), wide).holds(y)
    expected = reference.backward((), wide, dy.astype("f8")).all
    assert all(bounded.holds(a) for bounded, a in zip(expected, (dq, dk, dv), strict=True))


def test_the_scale_is_that_of_the_width_where_none_is_given() -> None:
    x, dy = arrays(1, 2, 3, 2, 2, 4)
    same = [passes(layer(2, 3, 2, 2, 4, scale=scale), x, dy) for scale in (None, 0.5)]
    assert all(map(same_bits, *same))
    assert str(layer(2, 3, 2, 2, 4)) == "Attention(2, 3, 2, 2, 4, causal=True)"
    assert str(layer(2, 3, 2, 2, 4, scale=0.5, causal=False)) == "Attention(2, 3, 2, 2, 4, scale=0.5, causal=False)"


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), float("inf"), "1", True, np.ones(1)])
def test_other_scales_are_refused(wrong: Any) -> None:
    with pytest.raises(ConfigError, match=r"Attention\(2, 3, 2, 2, 4\): scale must be a finite number above 0"):
        layer(2, 3, 2, 2, 4, scale=wrong)


@pytest.mark.parametrize("wrong", [None, 1, "yes"])
def test_causal_is_a_bool(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="causal must be True or False"):
        layer(2, 3, 2, 2, 4, causal=wrong)


def test_a_batch_of_nothing_is_no_sequence_of_nothing() -> None:
    with pytest.raises(ShapeError, match="size t must be at least 1"):
        layer(2, 0, 1, 1, 1)


@given(seed=seeds, causal=st.booleans())
def test_equal_keys_share_the_weight(seed: int, causal: bool) -> None:
    """y is the mean of the values that are seen."""
    x, _ = arrays(seed, 1, 6, 1, 2, 3)
    same = (x[0], (np.repeat(x[1][0][:1], 6, axis=0), x[1][1]))
    y, v = layer(1, 6, 1, 2, 3, causal=causal).fwd((), same).y.reshape(6, 2, 3), x[1][1].astype(np.float64)
    for i in range(6):
        assert np.allclose(y[i], v[: i + 1 if causal else 6].mean(axis=0), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("size", [30.0, 1e4, 1e18])
def test_large_scores_do_not_overflow(size: float) -> None:
    """One key takes all the weight: y is its value, and nothing is left for the gradients of the scores."""
    q, k = np.full((4, 2), size, np.float32), np.zeros((4, 2), np.float32)
    k[1] = size
    v, dy = numbers(1, 4, 2), numbers(2, 4, 2)
    y, dq, dk, dv = passes(layer(1, 4, 1, 1, 2, causal=False), (q, (k, v)), dy)
    assert same_bits(y, np.repeat(v[1:2], 4, axis=0))
    assert not dq.any()
    assert not dk.any()
    assert np.allclose(dv[1], dy.sum(axis=0), rtol=1e-6)
    assert not dv[[0, 2, 3]].any()


def test_a_query_whose_scores_are_all_minus_infinity_has_zeros() -> None:
    """In both passes: the softmax of nothing is no NaN."""
    q, k = np.full((3, 1), 1e30, np.float32), np.full((3, 1), -1e30, np.float32)
    v, dy = numbers(1, 3, 1), numbers(2, 3, 1)
    with np.errstate(over="ignore"):
        results = passes(layer(1, 3, 1, 1, 1), (q, (k, v)), dy)
    assert not any(array.any() for array in results)
