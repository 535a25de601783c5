"""Llama as a whole: against float64, causal, with its sizes, trained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch import AdamW, ClipNorm, CrossEntropy, Key, Train
from bendtorch.laws import examine
from bendtorch.models import Llama, LlamaUntied, init_normal
from tests.support.arrays import same_bits
from tests.support.sizes import seeds
from tests.support.threads import at_every_count

TIED: Any = Llama
UNTIED: Any = LlamaUntied
B, T, V, D, KV, G, HALF, F, DEPTH = 2, 5, 11, 12, 2, 2, 3, 16, 2
SIZES = (B, T, V, D, KV, G, HALF, F, DEPTH)
MODELS = pytest.mark.parametrize("make", [TIED, UNTIED])


def tokens(seed: int, count: int = B * T) -> Any:
    return np.random.default_rng(seed).integers(0, V, count)


def reference(model: Any, p: Any, ids: Any) -> Any:
    """The logits in float64, from the formulas, with the leaves in their order."""
    flat, leaves, start = model.dump(p).astype(np.float64), [], 0
    for leaf in model.leaves:
        leaves.append(flat[start : start + leaf.cells].reshape(leaf.shape))
        start += leaf.cells
    table, *rest = leaves
    x, following = table[ids], iter(rest)

    def norm(x: Any) -> Any:
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * next(following)

    for _ in range(DEPTH):
        h = norm(x)
        q, k, v = h @ next(following).T, h @ next(following).T, h @ next(following).T
        x = x + attended(rotated(q, KV * G), rotated(k, KV), v) @ next(following).T
        h = norm(x)
        gate = h @ next(following).T
        x = x + (gate / (1 + np.exp(-gate)) * (h @ next(following).T)) @ next(following).T
    return norm(x) @ next(following, table).T


def rotated(x: Any, heads: int) -> Any:
    """Each pair of halves turned by the angle of its position."""
    angles = (np.arange(B * T) % T)[:, None, None] * 10000.0 ** (-np.arange(HALF) / HALF)
    one, two = np.split(x.reshape(B * T, heads, 2 * HALF), 2, axis=2)
    turned = (one * np.cos(angles) - two * np.sin(angles), two * np.cos(angles) + one * np.sin(angles))
    return np.concatenate(turned, axis=2).reshape(B * T, -1)


def attended(q: Any, k: Any, v: Any) -> Any:
    """Causal attention, head by head."""
    y, hd = np.empty_like(q), 2 * HALF
    for s in range(B):
        rows = slice(s * T, (s + 1) * T)
        for head in range(KV * G):
            own, shared = slice(head * hd, (head + 1) * hd), slice(head // G * hd, (head // G + 1) * hd)
            scores = q[rows, own] @ k[rows, shared].T / np.sqrt(hd)
            weights = np.where(np.tril(np.ones((T, T), bool)), np.exp(scores), 0)
            y[rows, own] = weights / weights.sum(axis=1, keepdims=True) @ v[rows, shared]
    return y


@MODELS
@settings(max_examples=15)
@given(seed=seeds)
def test_the_logits_against_float64(make: Any, seed: int) -> None:
    model = make(*SIZES)
    p, ids = init_normal(model, Key(seed), 0.25), tokens(seed)
    exact = reference(model, p, ids)
    y = model.fwd(p, ids).y
    assert y.shape == (B * T, V)
    assert np.abs(y - exact).max() <= 2e-6 * max(1, np.abs(exact).max())


@MODELS
def test_its_gradients_are_its_derivatives(make: Any) -> None:
    report = examine(lambda b: make(b, 3, 7, 4, 1, 2, 2, 6, 1), only=["L25", "L27", "L33"], cases=5)
    assert not report.failures


@MODELS
@settings(max_examples=10)
@given(seed=seeds, place=st.integers(1, T - 1))
def test_no_token_sees_a_later_one(make: Any, seed: int, place: int) -> None:
    model = make(*SIZES)
    p, ids = init_normal(model, Key(seed), 0.25), tokens(seed)
    other = ids.copy()
    other[place] = (other[place] + 1) % V
    one, two = model.fwd(p, ids).y, model.fwd(p, other).y
    assert same_bits(one[:place], two[:place])
    assert same_bits(one[T:], two[T:])
    assert not same_bits(one[place], two[place])


def test_the_table_is_stored_once_where_it_is_tied() -> None:
    assert UNTIED(*SIZES).count() - TIED(*SIZES).count() == V * D
    assert len(UNTIED(*SIZES).leaves) == len(TIED(*SIZES).leaves) + 1


@MODELS
def test_it_learns_a_text_by_heart(make: Any) -> None:
    model = make(*SIZES, dropout=0.1)
    ids, target = np.arange(B * T), tokens(1)  # like tokens in a row look alike to attention
    train = Train.new(model, AdamW(1e-2), init_normal(model, Key(0), 0.1), clip=ClipNorm(1.0))
    loss: Any = CrossEntropy(B * T, V)
    first = train.step(model, loss, ids, target)
    for _ in range(150):
        train.step(model, loss, ids, target)
    assert loss.value(model.eval().fwd(train.p, ids).y, target) < 0.1 * first


def test_any_number_of_threads_trains_the_same() -> None:
    model = TIED(*SIZES, dropout=0.1)

    def run() -> Any:
        train = Train.new(model, AdamW(1e-2), init_normal(model, Key(0), 0.1), clip=ClipNorm(1.0))
        for step in range(5):
            train.step(model, CrossEntropy(B * T, V), tokens(step), tokens(step + 1))
        return model.dump(train.p)

    results = at_every_count(run)
    assert all(same_bits(result, results[0]) for result in results)
