"""Parameters described once: every function that follows from the description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ShapeError
from bendtorch.layer import Leaf, describe, matrix, no_params, ones_init, uniform_init, zeros_init
from tests.support.arrays import all_same_bits, as_lists, numbers, snapshot
from tests.support.params import PARAMS_CHECKS, random_like
from tests.support.sizes import seeds

MATRIX: Any = matrix
NO_PARAMS: Any = no_params
shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))


@dataclass(frozen=True, slots=True)
class Three:
    """Parameters of three matrices, of a user's own."""

    a: Any
    b: Any
    c: Any


def three(sizes: tuple[Any, Any, Any]) -> Any:
    inits = (zeros_init, ones_init, uniform_init(0.5))
    leaves = [Leaf(name, shape, init) for name, shape, init in zip("abc", sizes, inits, strict=True)]
    return describe(leaves, Three, lambda p: (p.a, p.b, p.c))


@pytest.mark.parametrize("check", PARAMS_CHECKS)
@given(sizes=st.tuples(shapes, shapes, shapes), seed=seeds)
def test_a_users_own_parameters(check: Any, sizes: tuple[Any, Any, Any], seed: int) -> None:
    check(three(sizes), seed)


@pytest.mark.parametrize("check", PARAMS_CHECKS)
@given(shape=shapes, seed=seeds)
def test_one_matrix(check: Any, shape: tuple[int, int], seed: int) -> None:
    check(MATRIX(*shape, "weight", uniform_init(0.5)), seed)


@pytest.mark.parametrize("check", PARAMS_CHECKS)
def test_no_parameters(check: Any) -> None:
    check(NO_PARAMS(), 0)


def test_a_matrix_starts_as_zeros_unless_told() -> None:
    params = MATRIX(2, 3)
    assert [(leaf.name, leaf.shape, leaf.init) for leaf in params.leaves] == [("weight", (2, 3), zeros_init)]
    assert NO_PARAMS().zeros() == ()


@given(sizes=st.tuples(shapes, shapes, shapes), seed=seeds)
def test_parameters_that_do_not_fit_change_nothing(sizes: tuple[Any, Any, Any], seed: int) -> None:
    params = three(sizes)
    good, flat = random_like(params, seed), numbers(seed + 9, params.count())
    r, c = sizes[2]
    bad = Three(good.a.copy(), good.b.copy(), np.zeros((r, c + 1), np.float32))
    before, room = snapshot(bad), np.zeros(params.count(), np.float32)
    calls: tuple[Any, ...] = (
        lambda: params.load(bad, flat, 0),
        lambda: params.dump(bad),
        lambda: params.store(bad, room, 0),
    )
    for call in calls:
        with pytest.raises(ShapeError, match=rf"^parameters: c must be Mat\[{r}, {c}\], got an array of shape"):
            call()
    assert all_same_bits(bad, before)
    frozen = snapshot(good)
    frozen.c.flags.writeable = False
    kept = snapshot(frozen)
    with pytest.raises(ShapeError, match=r"^parameters: c is written in place"):
        params.load(frozen, flat, 0)
    assert all_same_bits(frozen, kept)
    assert [array.shape for array in as_lists(frozen)] == list(sizes)
