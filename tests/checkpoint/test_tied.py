"""Tied parameters in files: saved once, loaded as one buffer, in any nest of combinators."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bendtorch import (
    AdamW,
    Embedding,
    Repeat,
    Residual,
    Tie,
    Train,
    load_params,
    load_train,
    save_params,
    save_train,
)
from tests.support.arrays import all_same_bits, as_lists, numbers, same_bits
from tests.support.models import LIN, NB, RELU
from tests.support.params import random_like
from tests.support.sizes import seeds

TIE: Final[Any] = Tie
EMBEDDING: Final[Any] = Embedding
CASES: Final = 500 if os.environ.get("BENDTORCH_LONG") else 40
SAME_DIRECTORY: Final = settings(
    max_examples=CASES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@st.composite
def squares(draw: st.DrawFn, n: int, c: int, depth: int = 3) -> tuple[Any, int]:
    """A layer that keeps the shape n × c, and how many numbers it has when those of tied layers count once."""
    kind = draw(st.sampled_from(["nb", "linear", "relu", "chain", "residual", "repeat", "tie", "tie"]))
    if depth == 0 or kind in ("nb", "linear", "relu"):
        linear = LIN(n, c, c), c * c + c
        return {"nb": (NB(n, c, c), c * c), "relu": (RELU(n, c), 0)}.get(kind, linear)
    first, count = draw(squares(n, c, depth - 1))
    if kind == "residual":
        return Residual(first), count
    if kind == "repeat":
        copies = draw(st.integers(1, 3))
        return Repeat(copies, first), copies * count
    second, other = draw(squares(n, c, depth - 1))
    return (first >> second, count + other) if kind == "chain" else (TIE(first, second, first), count + other)


@st.composite
def tied(draw: st.DrawFn) -> tuple[Any, int]:
    """A model with a tie at the top, of ids or of matrices."""
    n, c = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    middle, count = draw(squares(n, c))
    if draw(st.booleans()):
        v = draw(st.integers(1, 6))
        return TIE(EMBEDDING(n, v, c), middle, NB(n, c, v)), count + v * c
    outer, more = draw(squares(n, c, 1))
    return TIE(outer, middle, outer), count + more


def example(model: Any, seed: int) -> Any:
    """An input of the model."""
    takes = model.info.takes
    return np.zeros(takes.shape, np.int64) if takes.kind == "Ids" else numbers(seed, *takes.shape)


@SAME_DIRECTORY
@given(case=tied(), seed=seeds)
def test_tied_parameters_are_saved_once_and_loaded_as_one_buffer(tmp_path: Path, case: Any, seed: int) -> None:
    (model, count), path = case, tmp_path / "m"
    p, x = random_like(model, seed), example(model, seed)
    save_params(path, model, p)
    tensors = safetensors.numpy.load_file(path)
    assert sum(tensor.size for tensor in tensors.values()) == model.count() == count
    assert len(tensors) == len(model.leaves) == len(as_lists(p))
    loaded = load_params(path, model)
    assert all_same_bits(loaded, p)
    assert same_bits(model.fwd(loaded, x).y, model.fwd(p, x).y)
    for one, other in zip(as_lists(loaded), as_lists(p), strict=True):
        np.add(one, 0.5, out=one)  # every use of it sees the change
        np.add(other, 0.5, out=other)
    assert same_bits(model.fwd(loaded, x).y, model.fwd(p, x).y)


@SAME_DIRECTORY
@given(case=tied(), seed=seeds)
def test_a_run_with_tied_parameters_goes_on_as_it_would_have(tmp_path: Path, case: Any, seed: int) -> None:
    (model, count), path = case, tmp_path / "run"
    train = Train.new(model, AdamW(0.1), random_like(model, seed))
    steps(train, model, seed)
    save_train(path, model, train)
    tensors = safetensors.numpy.load_file(path)
    assert sum(tensor.size for tensor in tensors.values()) == 3 * count
    again = load_train(path, model, AdamW(0.1))
    arrays = as_lists(again.p)
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    for run in (train, again):
        steps(run, model, seed + 1)
    assert same_bits(model.dump(again.p), model.dump(train.p))


def steps(train: Any, model: Any, seed: int) -> None:
    """Two steps with gradients of their own."""
    for i in range(2):
        forward = model.fwd(train.p, example(model, seed + i))
        backward = model.bwd(train.p, forward.s, numbers(seed + i, *model.info.gives.shape), train.g)
        assert backward.g is train.g or all_same_bits(backward.g, train.g)
        train.apply(model)


def test_a_tie_in_a_file_has_one_name(tmp_path: Path) -> None:
    model: Any = TIE(EMBEDDING(2, 5, 3), LIN(2, 3, 3), NB(2, 3, 5))
    save_params(tmp_path / "m", model, model.zeros())
    names = set(safetensors.numpy.load_file(tmp_path / "m"))
    assert names == {"shared.weight", "1.weight", "1.bias"}


def test_the_strategy_makes_ties_inside_of_ties() -> None:
    found = []

    @settings(max_examples=50)
    @given(case=tied())
    def look(case: Any) -> None:
        found.append(str(case[0]).count("Tie("))

    look()
    assert max(found) > 1
