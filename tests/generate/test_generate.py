"""`generate`: greedy text is the model's own, token by token; drawn text follows from its key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import Key
from bendtorch.errors import ConfigError, IndexRangeError
from bendtorch.generate import Decoder, Sampler, generate, weights_of
from tests.support.decoding import TIED, UNTIED, some_tokens, with_weights
from tests.support.threads import at_every_count

ANY: Any = generate
START = [3, 1, 4]


def decoder_of(config: Any = TIED, context: int | None = None) -> Decoder:
    model, p = with_weights(config, 1, 0)
    return Decoder(config, weights_of(model, p), context=context)


@pytest.mark.parametrize("config", [TIED, UNTIED], ids=["tied", "untied"])
@pytest.mark.parametrize("seed", [0, 1])
def test_greedy_text_is_the_models_own(config: Any, seed: int) -> None:
    """What the whole model says is likeliest, computed anew for each token."""
    model, p = with_weights(config, 1, seed)
    text = some_tokens(config, 4, seed).tolist()
    given = list(generate(Decoder(config, weights_of(model, p)), text, 12, temperature=0))
    for token in given:
        logits = config.model(1, len(text)).fwd(p, np.array(text)).y[-1]
        assert logits[token] >= logits.max() - 1e-4 * np.abs(logits).max()
        text.append(token)
    assert len(given) == 12


def test_drawn_text_is_that_of_the_sampler() -> None:
    settings: Any = {"temperature": 0.8, "top_k": 9, "top_p": 0.9}
    decoder, sampler, key = decoder_of(), Sampler(**settings), Key(5)
    expected, logits = [], decoder.read(START)
    for i in range(10):
        expected.append(sampler.pick(logits, key.fold(i)))
        logits = decoder.read(expected[-1:])
    assert list(generate(decoder_of(), START, 10, key=key, **settings)) == expected
    assert list(generate(decoder_of(), START, 10, key=Key(6), **settings)) != expected


def test_the_same_text_at_any_number_of_threads() -> None:
    first, *others = at_every_count(lambda: list(generate(decoder_of(), START, 15, key=Key(1))))
    assert all(other == first for other in others)


def test_it_follows_what_was_read() -> None:
    whole = list(generate(decoder_of(), START, 8, temperature=0))
    decoder = decoder_of()
    decoder.read(START[:2])
    assert list(generate(decoder, START[2:], 8, temperature=0)) == whole


def test_a_text_may_be_continued() -> None:
    """The last token was not read, so it is what the rest begins with."""
    whole, decoder = list(generate(decoder_of(), START, 8, temperature=0)), decoder_of()
    first = list(generate(decoder, START, 5, temperature=0))
    assert decoder.position == len(START) + 4
    assert first + list(generate(decoder, first[-1:], 3, temperature=0)) == whole


def test_stop_tokens_end_it_and_are_not_given() -> None:
    whole = list(generate(decoder_of(), START, 20, key=Key(2)))
    stop = whole[11]
    ways: list[Any] = [[stop], stop, np.int64(stop), np.array([stop]), iter([stop])]
    for way in ways:
        assert list(generate(decoder_of(), START, 20, key=Key(2), stop=way)) == whole[: whole.index(stop)]
    assert list(generate(decoder_of(), START, 20, key=Key(2), stop=None)) == whole


def test_tokens_come_when_they_are_asked_for() -> None:
    decoder = decoder_of()
    text = generate(decoder, START, 5, temperature=0)
    assert decoder.position == 0
    next(text)
    assert decoder.position == 3
    next(text)
    assert decoder.position == 4


def test_none_are_asked_for() -> None:
    decoder = decoder_of()
    assert list(generate(decoder, START, 0, temperature=0)) == []
    assert decoder.position == 0


def test_what_fits_into_the_context_is_given() -> None:
    text = generate(decoder_of(context=5), START, 9, temperature=0)
    given = [next(text) for _ in range(3)]
    assert given == list(generate(decoder_of(), START, 3, temperature=0))
    with pytest.raises(ConfigError, match="do not fit into the context of 5"):
        next(text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "drawing tokens needs a key, such as Key"),
        ({"key": 0}, "needs a key, such as Key"),
        ({"count": -1, "temperature": 0}, "count must be an int of at least 0, got -1"),
        ({"count": 2.0, "temperature": 0}, "count must be an int"),
        ({"temperature": -1}, "temperature must be"),
        ({"decoder": None, "temperature": 0}, "decoder must be a Decoder, got None"),
    ],
)
def test_settings_that_are_refused_at_once(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        ANY(**{"decoder": decoder_of(), "ids": START, "count": 3, **settings})


@pytest.mark.parametrize("token", [-1, 29, True, 1.0])
def test_stop_tokens_that_are_none(token: Any) -> None:
    with pytest.raises(IndexRangeError, match=r"stop has .*, the tokens are 0 to 28"):
        generate(decoder_of(), START, 3, temperature=0, stop=[token])


def test_stop_is_a_token_or_several() -> None:
    with pytest.raises(ConfigError, match=r"^generate: stop must be a token, or several, such as \[2\], got 1.5"):
        ANY(decoder_of(), START, 3, temperature=0, stop=1.5)
