"""`generate`: the tokens that follow a text, one by one, as they are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from bendtorch.errors import ConfigError, IndexRangeError
from bendtorch.generate.decoder import Decoder, Tokens
from bendtorch.generate.sample import Sampler
from bendtorch.keys import Key
from bendtorch.shapes.arguments import expect, shown


def generate(
    decoder: Decoder,
    ids: Tokens,
    count: int,
    *,
    key: Key | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    stop: Iterable[int] | int | None = (),
) -> Iterator[int]:
    """At most `count` tokens after `ids`, which follow what the decoder has read before.

    Token i is drawn with `key.fold(i)` (see `Sampler`); at temperature 0 the likeliest is taken, and no key needed. A
    token of `stop` (one or several) ends the text and is not given. `ids` are read when the first token is asked for,
    and each token when the next one is: the last one is not read.

    The same decoder state, ids and key give the same tokens, on every run and at every number of threads.

    Raises `ConfigError` for an impossible option or a missing key, `IndexRangeError` for a stop token that is none, and
    what `Decoder.read` raises; where the context is full, after the tokens that still fitted.
    """
    expect("generate", "decoder", decoder, Decoder, "a Decoder")
    sampler = Sampler(temperature=temperature, top_k=top_k, top_p=top_p)
    if type(count) is not int or count < 0:
        raise ConfigError(f"generate: count must be an int of at least 0, got {shown(count)}")
    if temperature != 0 and not isinstance(key, Key):
        raise ConfigError(
            f"generate: drawing tokens needs a key, such as Key(0), got {shown(key)}; temperature=0 needs none"
        )
    return _tokens(decoder, ids, count, sampler, key, _stops(stop, decoder.config.vocabulary))


def _stops(stop: Iterable[int] | int | None, vocabulary: int) -> frozenset[int]:
    """The tokens that end a text, given as one, as several or as none."""
    given: Any = () if stop is None else (stop,) if isinstance(stop, (int, np.integer)) else stop
    expect("generate", "stop", given, Iterable, "a token, or several, such as [2]")
    given = tuple(given)
    for token in given:
        is_int = isinstance(token, (int, np.integer)) and not isinstance(token, bool)
        if not is_int or not 0 <= token < vocabulary:
            raise IndexRangeError(f"generate: stop has {shown(token)}, the tokens are 0 to {vocabulary - 1}")
    return frozenset(map(int, given))


def _tokens(
    decoder: Decoder, ids: Tokens, count: int, sampler: Sampler, key: Key | None, stop: frozenset[int]
) -> Iterator[int]:
    following = ids
    for i in range(count):
        token = sampler.pick(decoder.read(following), None if key is None else key.fold(i))
        if token in stop:
            return
        yield token
        following = [token]
