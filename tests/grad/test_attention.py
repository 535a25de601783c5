"""Attention: lengths, widths, heads, masks and dropout beside float64; beside the layer; what is kept."""

from __future__ import annotations

import gc
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import Attention, Key, grad
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, of_sizes

lengths = st.integers(1, 4)
flags = st.booleans()


def _heads(x: Any, count: int, repeat: int) -> Any:
    """(b·count·repeat, t, width)."""
    b, t, columns = x.shape
    split = x.reshape(b, t, count, columns // count).transpose(0, 2, 1, 3)
    return np.repeat(split, repeat, 1).reshape(b * count * repeat, t, columns // count)


def exact(q: Any, k: Any, v: Any, scale: float, causal: bool, heads: int = 1, group: int = 1, mask: Any = 1.0) -> Any:
    """Attention in float64; `mask` multiplies the probabilities."""
    b, tq, _ = q.shape
    tk = k.shape[1]
    scores = scale * _heads(q, heads * group, 1) @ np.swapaxes(_heads(k, heads, group), 1, 2)
    if causal:
        scores = np.where(np.tri(tq, tk, dtype=bool), scores, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    y = (p / p.sum(-1, keepdims=True) * mask) @ _heads(v, heads, group)
    width = v.shape[2] // heads
    return y.reshape(b, heads * group, tq, width).transpose(0, 2, 1, 3).reshape(b, tq, heads * group * width)


def _plain(b: int, tq: int, tk: int, d: int, e: int, causal: bool, scale: float, seed: int) -> Case:
    inputs = (normal(seed, (b, tq, d)), normal(seed + 1, (b, tk, d)), normal(seed + 2, (b, tk, e)))
    return Case(
        lambda q, k, v: grad.attention(q, k, v, scale=scale, causal=causal),
        lambda q, k, v: exact(q, k, v, scale, causal),
        inputs,
    )


def _grouped(tq: int, tk: int, heads: int, group: int, d: int, e: int, causal: bool, seed: int) -> Case:
    inputs = (
        normal(seed, (2, tq, heads * group * d)),
        normal(seed + 1, (2, tk, heads * d)),
        normal(seed + 2, (2, tk, heads * e)),
    )
    return Case(
        lambda q, k, v: grad.attention(q, k, v, causal=causal, heads=heads, group=group),
        lambda q, k, v: exact(q, k, v, 1 / math.sqrt(d), causal, heads, group),
        inputs,
    )


def _dropped(tq: int, tk: int, d: int, e: int, causal: bool, seed: int) -> Case:
    inputs = (normal(seed, (2, tq, d)), normal(seed + 1, (2, tk, d)), normal(seed + 2, (2, tk, e)))
    g = grad.graph()
    mask = g.value(grad.dropout(g.input(np.ones((2, tq, tk), np.float32)), Key(seed), 0.4)).astype(np.float64)
    return Case(
        lambda q, k, v: grad.attention(q, k, v, causal=causal, rate=0.4, key=Key(seed)),
        lambda q, k, v: exact(q, k, v, 1 / math.sqrt(d), causal, mask=mask),
        inputs,
    )


scales = st.sampled_from([1.0, 0.3, -0.5, 0.0])
few = st.integers(1, 2)

test_operation = check_operations(
    Operation("attention", of_sizes(_plain, st.integers(0, 2), lengths, lengths, lengths, lengths, flags, scales)),
    Operation("heads", of_sizes(_grouped, lengths, lengths, few, few, few, few, flags)),
    Operation("dropout", of_sizes(_dropped, lengths, lengths, few, few, flags)),
)


def test_the_layer_has_the_same_bits() -> None:
    b, t, kv, group, hd = 2, 37, 2, 2, 8
    q, k, v = normal(0, (b * t, kv * group * hd)), normal(1, (b * t, kv * hd)), normal(2, (b * t, kv * hd))
    dy = normal(3, q.shape)
    layer: Any = Attention(b, t, kv, group, hd)
    done = layer.fwd((), (q, (k, v)))
    dq, (dk, dv) = layer.bwd((), done.s, dy, ()).dx
    g = grad.graph()
    xs = [g.input(x.reshape(b, t, -1)) for x in (q, k, v)]
    y = grad.attention(*xs, causal=True, heads=kv, group=group)
    grads = g.backward_from(y, dy.reshape(b, t, -1))
    assert np.array_equal(g.value(y).reshape(dy.shape), done.y)
    for x, wanted in zip(xs, (dq, dk, dv), strict=True):
        assert np.array_equal(grads.of(x).reshape(wanted.shape), wanted)


def test_larger_ones_are_close_to_float64() -> None:
    g = grad.graph()
    q, k, v = normal(0, (2, 70, 24)), normal(1, (2, 131, 24)), normal(2, (2, 131, 40))
    for causal in (False, True):
        y = g.value(grad.attention(g.input(q), g.input(k), g.input(v), causal=causal))
        wide = [x.astype(np.float64) for x in (q, k, v)]
        assert np.allclose(y, exact(wide[0], wide[1], wide[2], 1 / math.sqrt(24), causal), atol=2e-6)


def test_an_offset_is_the_position_of_the_first_query() -> None:
    g = grad.graph()
    q, k, v = (g.input(normal(i, (1, 6, 4))) for i in range(3))
    whole = g.value(grad.attention(q, k, v, causal=True))
    last = g.value(grad.attention(grad.slice(q, 1, 4, 6), k, v, causal=True, offset=4))
    assert np.allclose(last, whole[:, 4:], atol=1e-6)


def test_without_keys_the_output_is_zeros() -> None:
    g = grad.graph()
    q, k, v = g.input(normal(0, (2, 3, 4))), g.input(normal(1, (2, 0, 4))), g.input(normal(2, (2, 0, 5)))
    y = grad.attention(q, k, v)
    assert g.value(y).tolist() == np.zeros((2, 3, 5)).tolist()
    assert not np.any(g.backward_from(y, normal(3, (2, 3, 5))).of(q))


def test_a_key_that_is_not_seen_has_no_influence() -> None:
    g = grad.graph()
    q, k, v = normal(0, (1, 3, 4)), normal(1, (1, 3, 4)), normal(2, (1, 3, 4))
    before = g.value(grad.attention(g.input(q), g.input(k), g.input(v), causal=True))
    k[0, 2], v[0, 2] = np.nan, np.nan
    after = g.value(grad.attention(g.input(q), g.input(k), g.input(v), causal=True))
    assert np.array_equal(before[:, :2], after[:, :2])


def test_nothing_of_the_size_of_the_probabilities_is_kept() -> None:
    """What a Var of attention leads to, with dropout or without: its inputs, and nothing else of that size."""
    for options in ({}, {"rate": 0.5, "key": Key(0)}):
        g = grad.graph()
        q, k, v = (g.input(normal(i, (1, 64, 2))) for i in range(3))
        y = grad.attention(q, k, v, **options)  # type: ignore[arg-type]
        assert y.inputs == (q, k, v)
        held = gc.get_referents(y.rule)
        assert held
        assert not any(isinstance(value, np.ndarray) for value in held)


def test_refusals() -> None:
    g = grad.graph()
    q, k, v = g.input(normal(0, (2, 3, 4))), g.input(normal(1, (2, 5, 4))), g.input(normal(2, (2, 5, 6)))
    for other in (g.input(normal(2, (2, 4, 6))), g.input(normal(2, (1, 5, 6))), g.input(normal(2, (5, 6)))):
        with pytest.raises(ShapeError, match=r"^attention: .*got the shapes \[2, 3, 4\], \[2, 5, 4\], \["):
            grad.attention(q, k, other)
    with pytest.raises(ShapeError, match=r"^attention: with 3 heads"):
        grad.attention(q, k, v, heads=3)
    with pytest.raises(ConfigError, match=r"^attention: scale must be a finite number"):
        grad.attention(q, k, v, scale=math.inf)
    with pytest.raises(ConfigError, match=r"^attention: the rate is the probability"):
        grad.attention(q, k, v, rate=1.5)
    with pytest.raises(ConfigError, match=r"^attention: dropout at rate 0.5 needs key=Key"):
        grad.attention(q, k, v, rate=0.5)
    with pytest.raises(ConfigError, match=r"^attention: group must be at least 1, got 0"):
        grad.attention(q, k, v, group=0)
    with pytest.raises(DtypeError, match=r"^attention: heads must be an int, got 1.0"):
        grad.attention(q, k, v, heads=1.0)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^attention: causal must be True or False"):
        grad.attention(q, k, v, causal=1)  # type: ignore[arg-type]
