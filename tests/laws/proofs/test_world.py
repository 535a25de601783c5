"""Symbols as arrays: sums of arrays are sums of terms; whoever looks at the numbers is found out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bendtorch.laws.proofs.terms import ZERO, one
from bendtorch.laws.proofs.world import NoTermError, World

X, Y = one("x"), one("f", one("y"))


def test_arrays_stand_for_sums() -> None:
    space = World().space("X")
    x, y = space.array(X), space.array(Y)
    assert space.value(x + y + x) == X + Y + X
    assert space.value(x - x) == ZERO
    assert str(space.value(x / np.float32(2))) == "1/2·x"
    assert (x.dtype, x.shape) == (np.float32, space.sizes)


def test_spaces_have_shapes_of_their_own() -> None:
    world = World()
    x, u = world.space("X"), world.space("U")
    assert x is world.space("X")
    assert x.sizes != u.sizes
    assert world.read((x.array(X), (u.array(Y), ()))) == (X, (Y, ()))
    with pytest.raises(NoTermError, match="no matrix of X"):
        x.value(u.array(X))
    with pytest.raises(NoTermError, match="no array of any space"):
        world.read(np.zeros((1, 1), np.float32))


LOOKS: dict[str, Callable[[Any], Any]] = {
    "clip": lambda a: np.clip(a, -1, 1),
    "abs": np.abs,
    "relu": lambda a: np.maximum(a, 0),
    "round": np.rint,
    "mean": lambda a: np.full_like(a, a.mean()),
    "sort": lambda a: np.sort(a, axis=1),
    "shift": lambda a: np.roll(a, 1, axis=1),
    "rows": lambda a: a[::-1],
    "add": lambda a: a + 1,
    "square": lambda a: a * a,
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_looking_at_the_numbers_makes_no_term(look: Callable[[Any], Any]) -> None:
    space = World().space("X")
    arrays = [space.array(one(f"x{i}")) for i in range(12)]
    with pytest.raises(NoTermError):
        space.value(look(sum(arrays)))


def test_cells_name_values() -> None:
    world = World()
    numbers = [world.cell(X), world.cell(Y), world.cell(X), world.cell(ZERO)]
    assert numbers == [1, 2, 1, 0]
    assert world.cells(np.array(numbers, np.float32)) == (X, Y, X, ZERO)
    for bad in (0.5, 3, -1, np.nan):
        with pytest.raises(NoTermError):
            world.cells(np.array([bad], np.float32))


def test_a_space_is_finite() -> None:
    space = World().space("X")
    with pytest.raises(NoTermError, match="more than 64 terms"):
        [space.array(one(f"x{i}")) for i in range(65)]
