"""The choice of a token: which ones may be chosen, how often each is, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Key
from bendtorch.errors import ConfigError, DtypeError, NonFiniteError
from bendtorch.generate import Sampler
from bendtorch.generate.sample import likeliest
from tests.support.arrays import numbers
from tests.support.sizes import seeds

ANY: Any = Sampler
DRAWS = 4000

# ties and far ones on purpose
LOGITS = st.lists(st.sampled_from([-math.inf, -200.0, -3.0, -1.0, 0.0, 0.5, 0.5000001, 2.0, 30.0]), max_size=12).map(
    lambda few: np.array([*few, 1.0], np.float32)
)
TEMPERATURES = st.sampled_from([1e-300, 0.1, 0.7, 1.0, 3.0, 1e300])
TOP_K = st.none() | st.integers(1, 14)
TOP_P = st.none() | st.sampled_from([1e-9, 0.1, 0.5, 0.9, 0.999999, 1.0])


def probabilities(logits: Any, temperature: float, top_k: int | None, top_p: float | None) -> Any:
    """By the definition: sorted, cut, cut again, each with its share. Equal ones in their order."""
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))[:top_k]
    best = float(logits[order[0]])
    weights = [math.exp(max((float(logits[i]) - best) / temperature, -1e9)) for i in order]
    kept, total = len(order), math.fsum(weights)
    if top_p is not None and top_p < 1:
        kept = next(n for n in range(1, len(order) + 1) if math.fsum(weights[:n]) >= top_p * total * (1 - 1e-15))
    out = np.zeros(len(logits))
    out[order[:kept]] = np.array(weights[:kept]) / math.fsum(weights[:kept])
    return out


@given(logits=LOGITS, seed=seeds, temperature=TEMPERATURES, top_k=TOP_K, top_p=TOP_P)
def test_only_what_may_be_chosen(logits: Any, seed: int, temperature: float, top_k: Any, top_p: Any) -> None:
    sampler = Sampler(temperature=temperature, top_k=top_k, top_p=top_p)
    expected = probabilities(logits, temperature, top_k, top_p)
    assert expected[sampler.pick(logits, Key(seed))] > 0


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1.0, None, None), (0.5, None, None), (2.0, 3, None), (1.0, None, 0.8), (1.5, 5, 0.7), (1.0, 4, 1.0)],
)
def test_each_as_often_as_it_is_likely(temperature: float, top_k: Any, top_p: Any) -> None:
    """Within five standard deviations of each count."""
    logits = np.array([0.3, -0.7, 1.1, 0.3, -2.0, 0.9, -40.0], np.float32)
    sampler, key = Sampler(temperature=temperature, top_k=top_k, top_p=top_p), Key(7)
    counts = np.bincount([sampler.pick(logits, key.fold(i)) for i in range(DRAWS)], minlength=logits.size)
    p = probabilities(logits, temperature, top_k, top_p)
    assert np.all(np.abs(counts - DRAWS * p) <= 5 * np.sqrt(DRAWS * p * (1 - p)))


@given(seed=seeds, size=st.integers(1, 500), p=st.floats(0.01, 0.99))
def test_a_nucleus_of_many(seed: int, size: int, p: float) -> None:
    """The fewest tokens that reach p: without the least likely of them they do not."""
    logits = numbers(seed, size, scale=3.0)
    sampler, expected = Sampler(top_p=p), probabilities(logits, 1.0, None, p)
    drawn = {sampler.pick(logits, Key(seed).fold(i)) for i in range(30)}
    assert all(expected[token] > 0 for token in drawn)


@given(logits=LOGITS)
def test_the_likeliest(logits: Any) -> None:
    best = max(range(len(logits)), key=lambda i: (logits[i], -i))
    assert likeliest(logits) == best
    assert Sampler(temperature=0).pick(logits) == best
    assert Sampler(top_k=1).pick(logits) == best


def test_the_key_names_the_token() -> None:
    logits, sampler = numbers(0, 1000), Sampler()
    tokens = [sampler.pick(logits, Key(3).fold(i)) for i in range(20)]
    assert tokens == [sampler.pick(logits, Key(3).fold(i)) for i in range(20)]
    assert len(set(tokens)) > 15


@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_logits_that_are_no_numbers(place: int, value: float) -> None:
    logits = numbers(0, 7)
    logits[place] = value
    for sampler in (Sampler(temperature=0), Sampler(), Sampler(top_k=2)):
        with pytest.raises(NonFiniteError, match=f"the largest logit, of token {place}, is {value}; the model's"):
            sampler.pick(logits, Key(0))


def test_logits_of_minus_infinity_are_never_chosen() -> None:
    logits = np.full(50, -math.inf, np.float32)
    with pytest.raises(NonFiniteError, match="is -inf"):
        Sampler().pick(logits, Key(0))
    logits[17] = -3.0
    assert {Sampler(temperature=1e300).pick(logits, Key(i)) for i in range(20)} == {17}


@pytest.mark.parametrize(
    "logits",
    [np.zeros(3), np.zeros((1, 3), np.float32), np.zeros(0, np.float32), [0.0, 1.0], None],
    ids=["float64", "matrix", "empty", "list", "nothing"],
)
def test_what_is_no_vector(logits: Any) -> None:
    with pytest.raises(DtypeError, match="logits must be a float32 vector"):
        Sampler().pick(logits, Key(0))


def test_drawing_needs_a_key() -> None:
    for key in (None, 3):
        with pytest.raises(ConfigError, match="sampling at temperature 1 needs a key, such as Key"):
            Sampler().pick(numbers(0, 3), key)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("temperature", value) for value in (-0.1, math.nan, math.inf, True, "1", None, 10**400)],
        *[("top_k", value) for value in (0, -1, 2.0, True, "3")],
        *[("top_p", value) for value in (0, -0.1, 1.1, math.nan, True, "0.9")],
    ],
    ids=lambda value: repr(value)[:12],
)
def test_settings_that_are_refused(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"Sampler: {name} must be "):
        ANY(**{name: value})
