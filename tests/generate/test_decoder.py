"""L70: decoding token by token with a cache gives the logits of the whole model, however the text is cut."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch import Key
from bendtorch.errors import ConfigError, DtypeError, IndexRangeError, ShapeError
from bendtorch.generate import Decoder, weights_of
from bendtorch.generate.cache import FIRST
from bendtorch.kernels.compile import JIT
from tests.support.arrays import LAYOUTS, WRONG_IDS, same_bits
from tests.support.bfloat16 import rounded
from tests.support.decoding import TIED, UNTIED, configs, some_tokens, with_weights
from tests.support.sizes import seeds
from tests.support.threads import at_every_count

NEAR = 2e-5  # of the largest logit: float32 sums of one model taken in another order
MODELS = pytest.mark.parametrize("config", [TIED, UNTIED], ids=["tied", "untied"])


def near(logits: Any, expected: Any) -> bool:
    return bool(np.abs(logits - expected).max() <= NEAR * max(1.0, np.abs(expected).max()))


def one_by_one(decoder: Decoder, tokens: Any) -> Any:
    return np.array([decoder.read([int(token)]) for token in tokens])


@settings(max_examples=25)
@given(config=configs, seed=seeds, t=st.integers(1, 12))
def test_token_by_token(config: Any, seed: int, t: int) -> None:
    model, p = with_weights(config, t, seed)
    tokens = some_tokens(config, t, seed)
    assert near(one_by_one(Decoder(config, weights_of(model, p)), tokens), model.fwd(p, tokens).y)


@settings(max_examples=25)
@given(config=configs, seed=seeds, parts=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_in_any_parts(config: Any, seed: int, parts: list[int]) -> None:
    t = sum(parts)
    model, p = with_weights(config, t, seed)
    tokens, ends = some_tokens(config, t, seed), np.cumsum(parts)
    decoder, y = Decoder(config, weights_of(model, p)), model.fwd(p, tokens).y
    for part in np.split(tokens, ends[:-1]):
        logits = decoder.read(part)
        assert near(logits, y[decoder.position - 1])
    assert decoder.position == t


@MODELS
def test_many_tokens(config: Any) -> None:
    """Beyond the cache's first room, and the runs in which a prompt is read."""
    t = 2 * FIRST + 30 if JIT else 40
    model, p = with_weights(config, t, 0)
    tokens, decoder = some_tokens(config, t, 0), Decoder(config, weights_of(model, p))
    y = model.fwd(p, tokens).y
    assert near(decoder.read(tokens[: t - 20]), y[t - 21])
    assert near(one_by_one(decoder, tokens[t - 20 :]), y[t - 20 :])
    decoder.rewind()
    assert near(one_by_one(decoder, tokens)[t - 1], y[t - 1])


@MODELS
def test_forgetting_gives_the_same_bits_again(config: Any) -> None:
    model, p = with_weights(config, 12, 0)
    tokens, decoder = some_tokens(config, 12, 0), Decoder(config, weights_of(model, p))
    decoder.read(tokens[:5])
    first = one_by_one(decoder, tokens[5:])
    decoder.rewind(5)
    decoder.read(tokens[:4])
    decoder.rewind(5)
    assert same_bits(one_by_one(decoder, tokens[5:]), first)
    decoder.rewind()
    decoder.read(tokens[:5])
    assert same_bits(one_by_one(decoder, tokens[5:]), first)


@MODELS
@pytest.mark.parametrize("storage", ["float32", "bfloat16", "float16"])
def test_the_same_bits_at_any_number_of_threads(config: Any, storage: Any) -> None:
    model, p = with_weights(config, 20, 0)
    tokens, weights = some_tokens(config, 20, 0), weights_of(model, p)

    def text() -> Any:
        decoder = Decoder(config, weights, storage=storage)
        return np.array([decoder.read(tokens[:12]), *one_by_one(decoder, tokens[12:])])

    first, *others = at_every_count(text)
    assert all(same_bits(first, other) for other in others)


@MODELS
@pytest.mark.parametrize("storage", ["bfloat16", "float16"])
def test_sixteen_bits_round_the_weights_and_nothing_else(config: Any, storage: Any) -> None:
    """The matrices are rounded, the gains are not; then all is as with such weights in float32."""
    model, p = with_weights(config, 15, 0)
    flat, tokens, start = weights_of(model, p), some_tokens(config, 15, 0), 0
    halves = flat.copy()
    for leaf in model.leaves:
        if not leaf.vector:
            part = flat[start : start + leaf.cells]
            narrow = rounded(part) if storage == "bfloat16" else part.astype(np.float16).astype(np.float32)
            halves[start : start + leaf.cells] = narrow
        start += leaf.cells
    decoder, same = Decoder(config, flat, storage=storage), Decoder(config, halves)
    assert not np.array_equal(flat, halves)
    assert same_bits(decoder.read(tokens[:10]), same.read(tokens[:10]))
    assert near(one_by_one(decoder, tokens[10:]), one_by_one(same, tokens[10:]))


def test_logits_are_the_callers() -> None:
    model, p = with_weights(TIED, 3, 0)
    decoder = Decoder(TIED, weights_of(model, p))
    first = decoder.read([1])
    kept = first.copy()
    decoder.read([2])
    assert same_bits(first, kept)


def test_float32_weights_are_read_where_they_are() -> None:
    model, p = with_weights(TIED, 3, 0)
    flat = weights_of(model, p)
    decoder = Decoder(TIED, flat)
    decoder.read([1])
    flat *= 0.5
    decoder.rewind()
    assert same_bits(decoder.read([1]), Decoder(TIED, flat.copy()).read([1]))


def test_dropout_counters_are_no_weights() -> None:
    plain, dropping = TIED.model(1, 4), TIED.model(1, 4, dropout=0.5)
    p = dropping.init(Key(0))
    flat = weights_of(dropping, p)
    assert flat.size == TIED.count() == plain.count() < dropping.count()
    assert near(Decoder(TIED, flat).read([1, 2, 3, 4]), dropping.eval().fwd(p, np.array([1, 2, 3, 4])).y[-1])
    with pytest.raises(ShapeError, match=r"has \d+ weights, got \d+; weights_of"):
        Decoder(TIED, dropping.dump(p))


def test_the_context_is_a_limit() -> None:
    decoder = Decoder(TIED, np.zeros(TIED.count(), np.float32), context=5)
    decoder.read([0, 1, 2, 3])
    with pytest.raises(ConfigError, match=r"4 tokens and 2 more do not fit into the context of 5.*rewind\(\)"):
        decoder.read([4, 5])
    assert decoder.position == 4
    decoder.read([4])
    with pytest.raises(ConfigError, match="5 tokens and 1 more"):
        decoder.read([4])
    decoder.rewind(4)
    decoder.read([4])


def test_the_context_is_the_models_own() -> None:
    config = dataclasses.replace(TIED, positions=7)
    weights = np.zeros(config.count(), np.float32)
    assert Decoder(config, weights).context == 7
    assert Decoder(config, weights, context=9).context == 9
    assert Decoder(TIED, weights).context == 2048


def test_ids_of_any_layout() -> None:
    model, p = with_weights(TIED, 5, 0)
    decoder, tokens = Decoder(TIED, weights_of(model, p)), some_tokens(TIED, 5, 0)
    expected = decoder.read(tokens)
    layouts: list[Any] = [lay(tokens) for lay in LAYOUTS.values()]
    for ids in (*layouts, tokens.astype(np.int32), tokens.tolist(), tuple(tokens)):
        decoder.rewind()
        assert same_bits(decoder.read(ids), expected)


def test_refused_ids() -> None:
    decoder = Decoder(TIED, np.zeros(TIED.count(), np.float32))
    arrays: list[Any] = [np.zeros(3).astype(kind) for kind in WRONG_IDS]
    for wrong in (*arrays, [[1, 2]], [[1], [2, 3]], [1.5], ["a"], [True], [2**63], "ab", 5, None):
        with pytest.raises(DtypeError, match="ids must be a sequence of ints"):
            decoder.read(wrong)
    with pytest.raises(ShapeError, match="there is no token"):
        decoder.read([])
    for bad in (-1, 29):
        with pytest.raises(IndexRangeError, match=rf"ids\[1\] is {bad}, the tokens are 0 to 28"):
            decoder.read([3, bad])
    assert decoder.position == 0


@pytest.mark.parametrize("position", [-1, 3, 1.0, True, None])
def test_refused_rewinds(position: Any) -> None:
    decoder = Decoder(TIED, np.zeros(TIED.count(), np.float32))
    decoder.read([0, 1])
    with pytest.raises(ConfigError, match="position must be an int from 0 to 2"):
        decoder.rewind(position)


@pytest.mark.parametrize("context", [0, -1, 2.0, True])
def test_refused_contexts(context: Any) -> None:
    with pytest.raises(ConfigError, match="context must be an int of at least 1"):
        Decoder(TIED, np.zeros(TIED.count(), np.float32), context=context)


def test_a_configuration_is_needed() -> None:
    wrong: Any = "llama"
    with pytest.raises(ConfigError, match="config must be a LlamaConfig"):
        Decoder(wrong, np.zeros(1, np.float32))


def test_it_says_what_it_is() -> None:
    decoder = Decoder(TIED, np.zeros(TIED.count(), np.float32), storage="bfloat16", context=8)
    assert repr(decoder) == f"Decoder({TIED}, storage='bfloat16', context=8)"
