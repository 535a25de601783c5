"""Windows of a text: every target is the token that follows, an epoch is the text once, the key decides the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import AdamW, CrossEntropy, Embedding, Linear, Train
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.train import evaluate, fit, windows
from tests.support.arrays import all_same_bits, same_bits
from tests.support.sizes import seeds

WINDOWS: Any = windows
lengths = st.integers(2, 90)
spans = st.integers(1, 12)
sizes = st.integers(1, 9)


def numbered(count: int) -> Any:
    """A text whose tokens say their places."""
    return np.arange(count)


@given(length=lengths, t=spans, size=sizes, seed=st.one_of(st.none(), seeds), epoch=st.integers(0, 4))
def test_an_epoch_is_the_text_once(length: int, t: int, size: int, seed: int | None, epoch: int) -> None:
    length = max(length, t + 1 if seed is None else 2 * t, 2)
    made = WINDOWS(numbered(length), t, size, None if seed is None else Key(seed))
    parts = list(made.epoch(epoch))
    assert len(parts) == len(made)
    assert [part.n for part in parts[:-1]] == [size] * (len(parts) - 1)
    assert sum(part.n for part in parts) == made.count
    assert all(part.x.shape == part.target.shape == (part.n * t,) for part in parts)
    x, target = (np.concatenate([getattr(part, name) for part in parts]) for name in ("x", "target"))
    assert same_bits(target, x + 1)  # what follows
    rows = x.reshape(made.count, t)
    assert same_bits(rows, rows[:, :1] + np.arange(t))  # each window is a stretch of the text
    assert same_bits(np.sort(x), np.arange(x.min(), x.min() + x.size))  # one behind the other, none twice
    assert length - x.size < (t + 1 if seed is None else 2 * t)
    if seed is None:
        assert same_bits(x, np.arange(x.size))


@given(t=spans, seed=seeds, epoch=st.integers(0, 5))
def test_cut_and_order_are_functions_of_key_and_epoch(t: int, seed: int, epoch: int) -> None:
    first, second = (WINDOWS(numbered(80), t, 3, Key(seed)) for _ in range(2))
    list(first.epoch(epoch + 1))
    for one, two in zip(first.epoch(epoch), second.epoch(epoch), strict=True):
        assert same_bits(one.x, two.x)
        assert same_bits(one.target, two.target)


def test_every_token_is_seen_and_every_cut_is_made() -> None:
    made = WINDOWS(numbered(23), 5, 2, Key(3))
    cuts = {min(int(part.x.min()) for part in made.epoch(epoch)) for epoch in range(60)}
    seen = {int(token) for epoch in range(60) for part in made.epoch(epoch) for token in part.target}
    assert cuts == set(range(8))
    assert seen == set(range(1, 23))
    orders = {tuple(int(part.x[0]) - min(cuts) for part in made.epoch(epoch)) for epoch in range(20)}
    assert len(orders) > 10


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_batches_are_copies_of_the_texts_type(dtype: str) -> None:
    text = numbered(20).astype(dtype)
    for part in WINDOWS(text, 4, 2, Key(0)).epoch(0):
        assert part.x.dtype == part.target.dtype == np.dtype(dtype)
        part.x[:] = part.target[:] = -1
    assert same_bits(text, numbered(20).astype(dtype))


def test_what_a_run_must_be_given_again_is_said() -> None:
    made = WINDOWS(numbered(50), 8, 3, Key(1))
    assert str(made) == f"5 windows of 8 of 50 tokens in batches of 3, key {Key(1)}"
    assert (made.unit, made.units) == ("tokens", 8)


def model(b: int) -> Any:
    layers: Any = (Embedding, Linear)
    return layers[0](b * 6, 7, 8) >> layers[1](b * 6, 8, 7)


def loss(b: int) -> Any:
    layer: Any = CrossEntropy
    return layer(b * 6, 7)


def test_fit_and_evaluate_take_them() -> None:
    """A text of which each token is known from the one before."""
    text = np.arange(400) * 3 % 7
    data, held_out = WINDOWS(text[:300], 6, 4, Key(1)), WINDOWS(text[300:], 6, 5)
    train = Train.new(model(1), AdamW(0.05), model(1).init(Key(0)))
    loop: Any = fit
    score: Any = evaluate
    assert score(model, loss, held_out, train.p) > 1
    loop(train, model, loss, data, steps=60)
    assert train.t == 60
    assert score(model, loss, held_out, train.p) < 0.05
    again = Train.new(model(1), AdamW(0.05), model(1).init(Key(0)))
    loop(again, model, loss, data, steps=17)  # an epoch has 13
    loop(again, model, loss, data, steps=60, start=17)
    assert all_same_bits(again.p, train.p)


def test_errors() -> None:
    text = numbered(9)
    with pytest.raises(ShapeError, match=r"^windows: text has 9 tokens; windows of 9 need at least 10$"):
        WINDOWS(text, 9, 1)
    with pytest.raises(ShapeError, match=r"^windows: text has 9 tokens; windows of 5 at any place need at least 10$"):
        WINDOWS(text, 5, 1, Key(0))
    with pytest.raises(ShapeError, match=r"^windows: text must be Ids\[n\], got an array of shape \[3, 3\]$"):
        WINDOWS(text.reshape(3, 3), 2, 1)
    with pytest.raises(DtypeError, match=r"^windows: text must be int32 or int64, got uint8; .*text.astype\(np.int64"):
        WINDOWS(text.astype(np.uint8), 2, 1)
    with pytest.raises(DtypeError, match=r"^windows: text must be int32 or int64, got float32; .*astype\(np.int64"):
        WINDOWS(text.astype(np.float32), 2, 1)
    with pytest.raises(DtypeError, match=r"^windows: text must be a numpy array, got str"):
        WINDOWS("how now", 2, 1)
    for t in (0, -1, 2.0, True):
        with pytest.raises(ConfigError, match=r"^windows: t must be an int of at least 1, got"):
            WINDOWS(text, t, 1)
    for size in (0, 1.5, True):
        with pytest.raises(ConfigError, match=r"^windows: size must be"):
            WINDOWS(text, 2, size)
    with pytest.raises(ConfigError, match=r"^windows: key must be a Key"):
        WINDOWS(text, 2, 1, 7)
