"""A prompt in one pass: the cache that it leaves is that of the whole model, in runs as at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.generate import prompt
from bendtorch.generate.cache import Positions
from bendtorch.generate.prompt import Prompt
from bendtorch.generate.weights import Weights, weights_of
from tests.support.decoding import TIED, UNTIED, some_tokens, with_weights

COUNT = 23


def read(config: Any, weights: Any, tokens: Any, storage: Any = "float32") -> tuple[Any, Any]:
    """The last row, and the cache."""
    positions = Positions(config, 64)
    row = Prompt(config, Weights.stored(config, weights, storage)).read(tokens, 0, positions.cache)
    return row, (positions.cache.keys[:, : len(tokens)], positions.cache.values[:, : len(tokens)])


@pytest.mark.parametrize("config", [TIED, UNTIED])
@pytest.mark.parametrize("run", [1, 4, 22])
def test_in_runs_as_at_once(monkeypatch: pytest.MonkeyPatch, config: Any, run: int) -> None:
    model, p = with_weights(config, COUNT, 0)
    weights, tokens = weights_of(model, p), some_tokens(config, COUNT, 0)
    row, (keys, values) = read(config, weights, tokens)
    monkeypatch.setattr(prompt, "RUN", run)
    other, (other_keys, other_values) = read(config, weights, tokens)
    for one, two in ((row, other), (keys, other_keys), (values, other_values)):
        assert np.abs(one - two).max() <= 2e-5 * np.abs(one).max()


def test_the_first_block_keeps_keys_turned_and_values_as_they_are() -> None:
    model, p = with_weights(TIED, COUNT, 0)
    weights, tokens = weights_of(model, p).astype(np.float64), some_tokens(TIED, COUNT, 0)
    _, (keys, values) = read(TIED, weights.astype(np.float32), tokens)
    d, (wide, narrow), half = TIED.width, (TIED.heads * TIED.head_dim, TIED.key_heads * TIED.head_dim), TIED.half
    table, rest = weights[: 29 * d].reshape(29, d), weights[29 * d :]
    x, gain = table[tokens], rest[:d]
    h = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + TIED.eps) * gain
    start = d + wide * d
    k, v = (h @ rest[s : s + narrow * d].reshape(narrow, d).T for s in (start, start + narrow * d))
    angles = (np.arange(COUNT)[:, None] * TIED.base ** (-np.arange(half) / half))[:, None]
    one, two = np.split(k.reshape(COUNT, TIED.key_heads, 2 * half), 2, axis=2)
    pair = (one * np.cos(angles) - two * np.sin(angles), two * np.cos(angles) + one * np.sin(angles))
    turned = np.concatenate(pair, axis=2).reshape(COUNT, narrow)
    assert np.abs(keys[0] - turned).max() <= 1e-5
    assert np.abs(values[0] - v).max() <= 1e-5
