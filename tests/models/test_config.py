"""The record of a Llama's sizes: what it refuses, and the model that it builds."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Key
from bendtorch.errors import ConfigError
from bendtorch.models import LlamaConfig

ANY: Any = LlamaConfig
USUAL: dict[str, Any] = {
    "vocabulary": 11,
    "width": 12,
    "key_heads": 2,
    "groups": 3,
    "half": 2,
    "inner": 5,
    "depth": 2,
}
SMALL = st.integers(1, 5)


@given(sizes=st.tuples(*[SMALL] * 7), tied=st.booleans())
def test_it_counts_what_the_model_counts(sizes: tuple[int, ...], tied: bool) -> None:
    config = ANY(*sizes, tied=tied)
    assert config.count() == config.model(1, 1).count()


def test_the_model_has_its_settings() -> None:
    config = ANY(**USUAL, eps=0.25, base=500.0, tied=False)
    text = str(config.model(2, 3))
    assert config.head_dim == 4
    assert config.heads == 6
    assert "eps=0.25" in text
    assert "base=500.0" in text
    assert "Tie" not in text
    assert "Tie" in str(ANY(**USUAL).model(2, 3))
    assert "Dropout" in str(config.model(2, 3, dropout=0.5))


def test_models_of_all_batches_share_their_parameters() -> None:
    config = ANY(**USUAL)
    p = config.model(1, 1).init(Key(0))
    tokens = np.arange(6)
    whole = config.model(2, 3).fwd(p, tokens).y
    for sequence in (0, 1):
        one = config.model(1, 3).fwd(p, tokens[3 * sequence : 3 * sequence + 3]).y
        assert np.allclose(one, whole[3 * sequence : 3 * sequence + 3], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", USUAL)
@pytest.mark.parametrize("value", [0, -1, True, 2.0, "2", None, np.int64(2)])
def test_sizes_are_counts(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"LlamaConfig: {name} must be an int of at least 1, got "):
        ANY(**USUAL | {name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("eps", value) for value in (-1e-9, float("nan"), float("inf"), True, "0")],
        *[("base", value) for value in (0.5, 0, float("nan"), float("inf"), True, "0", 10**309)],
        *[("tied", value) for value in (0, 1, None, "yes")],
        *[("positions", value) for value in (0, -1, True, 2.0)],
        *[("bos", value) for value in (-1, 11, True, 1.0)],
        *[("eos", value) for value in (1, [1], (-1,), (11,), (0, True), (None,))],
    ],
    ids=lambda value: repr(value)[:12],
)
def test_settings_that_are_refused(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"LlamaConfig: {name} must be "):
        ANY(**USUAL, **{name: value})


def test_settings_that_are_taken() -> None:
    config = ANY(**USUAL, eps=0, base=1, positions=1, bos=0, eos=(10, 0))
    assert config == ANY(**USUAL, eps=0.0, base=1.0, positions=1, bos=0, eos=(10, 0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.width = 3
