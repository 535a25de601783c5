"""Guards: the right array passes untouched, another layout is copied, everything else gets its message."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.shapes import guard
from tests.support.arrays import LAYOUTS, WRONG_IDS, WRONG_PLACES, WRONG_TYPES, labels, numbers, same_bits
from tests.support.sizes import rows, seeds, widths

guard_mat: Any = guard.guard_mat
guard_target: Any = guard.guard_target
guard_ids: Any = guard.guard_ids
guard_places: Any = guard.guard_places


@given(n=rows, c=widths, seed=seeds)
def test_the_right_matrix_is_not_copied(n: int, c: int, seed: int) -> None:
    x = numbers(seed, n, c)
    assert guard_mat(x, (n, c), "Layer(1)", "x") is x
    assert guard_target(x, (n, c), "Layer(1)", "x") is x


@given(n=rows, c=widths, seed=seeds, name=st.sampled_from(sorted(LAYOUTS)))
def test_another_layout_is_copied(n: int, c: int, seed: int, name: str) -> None:
    x = LAYOUTS[name](numbers(seed, n, c))
    taken = guard_mat(x, (n, c), "Layer(1)", "x")
    assert same_bits(taken, x)
    assert type(taken) is np.ndarray
    assert taken.flags.carray
    assert taken is x or not np.shares_memory(taken, x)


@pytest.mark.parametrize(
    ("given_array", "error", "text"),
    [
        (
            np.zeros((2, 3)),
            DtypeError,
            "Layer(1): x must be float32 in native byte order, got <f8 (float64); convert it with x.astype(np.float32)",
        ),
        (
            np.zeros((2, 3), ">f4"),
            DtypeError,
            "Layer(1): x must be float32 in native byte order, got >f4 (>f4); convert it with x.astype(np.float32)",
        ),
        (
            np.zeros((2, 3), np.int64),
            DtypeError,
            "Layer(1): x must be float32 in native byte order, got <i8 (int64); convert it with x.astype(np.float32)",
        ),
        (np.zeros((3, 2), np.float32), ShapeError, "Layer(1): x must be Mat[2, 3], got an array of shape [3, 2]"),
        (np.zeros(6, np.float32), ShapeError, "Layer(1): x must be Mat[2, 3], got an array of shape [6]"),
        ([[1, 2, 3]], DtypeError, "Layer(1): x must be a float32 numpy array Mat[2, 3], got list"),
    ],
)
def test_messages(given_array: Any, error: type[Exception], text: str) -> None:
    for check in (guard_mat, guard_target):
        with pytest.raises(error, match=f"^{re.escape(text)}$"):
            check(given_array, (2, 3), "Layer(1)", "x")


@given(n=rows, c=widths)
def test_other_types_are_refused(n: int, c: int) -> None:
    for wrong in WRONG_TYPES:
        for check in (guard_mat, guard_target):
            with pytest.raises(DtypeError, match=r"Layer\(1\): x must be float32"):
                check(np.zeros((n, c), wrong), (n, c), "Layer(1)", "x")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("read-only", "read-only"),
        ("fortran", "laid out in another way"),
        ("negative strides", "laid out in another way"),
        ("sliced", "laid out in another way"),
        ("unaligned", "laid out in another way"),
    ],
)
def test_a_target_is_never_a_copy(name: str, reason: str) -> None:
    text = (
        "Layer(1): g is written in place, so it must be a writable array in C order; got one that is "
        f"{reason} (make one with np.zeros((2, 3), np.float32), or take the layer's own zeros())"
    )
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        guard_target(LAYOUTS[name](numbers(0, 2, 3)), (2, 3), "Layer(1)", "g")


def test_a_target_may_come_from_another_process() -> None:
    pickled = LAYOUTS["pickled"](numbers(0, 2, 3))
    assert np.shares_memory(guard_target(pickled, (2, 3), "Layer(1)", "g"), pickled)


@given(n=rows, seed=seeds)
def test_ids_come_as_int64_in_one_layout(n: int, seed: int) -> None:
    whole = labels(seed, n, 100)
    assert guard_ids(whole, n, "Layer(1)", "ids") is whole
    strided = np.repeat(whole, 2)[::2]
    frozen = whole.copy()
    frozen.flags.writeable = False
    for other in (whole.astype(np.int32), strided, strided[::-1].copy()[::-1], frozen, whole.astype(np.longlong)):
        taken = guard_ids(other, n, "Layer(1)", "ids")
        assert same_bits(taken, whole)
        assert taken.flags.carray


@given(n=rows)
def test_other_ids_are_refused(n: int) -> None:
    for wrong in WRONG_IDS:
        with pytest.raises(DtypeError, match=r"Layer\(1\): ids must be int32 or int64 in native byte order, got "):
            guard_ids(np.zeros(n, wrong), n, "Layer(1)", "ids")
    for shape in ((n + 1,), (n, 1), (1, n), ()):
        text = f"Layer(1): ids must be Ids[{n}], got an array of shape {list(shape)}"
        with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
            guard_ids(np.zeros(shape, np.int64), n, "Layer(1)", "ids")
    with pytest.raises(DtypeError, match=r"^Layer\(1\): ids must be a numpy array of ids, got list$"):
        guard_ids([0] * n, n, "Layer(1)", "ids")


@given(n=rows, c=widths, seed=seeds)
def test_what_was_unpickled_is_not_copied(n: int, c: int, seed: int) -> None:
    x, which = LAYOUTS["pickled"](numbers(seed, n, c)), LAYOUTS["pickled"](labels(seed, n, 9))
    assert guard_mat(x, (n, c), "Layer(1)", "x") is x
    assert guard_target(x, (n, c), "Layer(1)", "x") is x
    assert guard_ids(which, n, "Layer(1)", "ids") is which


SUBCLASSES: dict[str, Any] = {
    "a user's own": LAYOUTS["subclass"],
    "np.matrix": lambda x: x.copy().view(np.matrix),
    "masked, with nothing masked": lambda x: np.ma.array(x.copy()),
    "masked, with a mask of nothing": lambda x: np.ma.array(x.copy(), mask=np.zeros(x.shape, bool)),
}


@pytest.mark.parametrize("name", SUBCLASSES)
def test_a_subclass_is_taken_as_a_plain_array(name: str) -> None:
    x = SUBCLASSES[name](numbers(0, 2, 3))
    taken = guard_mat(x, (2, 3), "Layer(1)", "x")
    assert type(taken) is np.ndarray
    assert same_bits(taken, numbers(0, 2, 3))
    target = guard_target(x, (2, 3), "Layer(1)", "g")
    assert type(target) is np.ndarray
    assert np.shares_memory(target, x)


def test_masked_numbers_are_refused() -> None:
    text = "Layer(1): x has masked numbers, which cannot be left out; put numbers in their place with x.filled(...)"
    masked = np.ma.array(numbers(0, 2, 3), mask=[[False, True, False], [False] * 3])
    for check in (guard_mat, guard_target):
        with pytest.raises(DtypeError, match=f"^{re.escape(text)}$"):
            check(masked, (2, 3), "Layer(1)", "x")
    with pytest.raises(DtypeError, match=f"^{re.escape(text)}$"):
        guard_ids(np.ma.array(labels(0, 3, 9), mask=[False, False, True]), 3, "Layer(1)", "x")


@given(n=rows, c=widths, seed=seeds, name=st.sampled_from(sorted(LAYOUTS)))
def test_places_of_another_layout_are_copied(n: int, c: int, seed: int, name: str) -> None:
    places = labels(seed, n * c, 9).astype(np.int32).reshape(n, c)
    assert guard_places(places, (n, c), "Layer(1)", "s") is places
    taken = guard_places(LAYOUTS[name](places), (n, c), "Layer(1)", "s")
    assert same_bits(taken, places)
    assert taken.flags.carray


@pytest.mark.parametrize("wrong", WRONG_PLACES)
def test_places_of_another_type_are_refused(wrong: str) -> None:
    with pytest.raises(DtypeError, match=r"Layer\(1\): s must be int32 in native byte order, got .*astype\(np.int32\)"):
        guard_places(np.zeros((2, 3), wrong), (2, 3), "Layer(1)", "s")


def test_other_places_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"Layer\(1\): s must be Places\[2, 3\], got an array of shape \[3, 2\]"):
        guard_places(np.zeros((3, 2), np.int32), (2, 3), "Layer(1)", "s")
    with pytest.raises(DtypeError, match=r"Layer\(1\): s must be an int32 numpy array Places\[1, 1\], got list"):
        guard_places([[0]], (1, 1), "Layer(1)", "s")
