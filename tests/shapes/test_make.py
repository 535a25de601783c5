"""Checked constructors: an array comes through as it is, or with a message."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import BendError, DtypeError, ShapeError
from bendtorch.shapes import make
from tests.support.arrays import LAYOUTS, WRONG_IDS, WRONG_TYPES, labels, numbers, same_bits
from tests.support.sizes import rows, seeds, widths

mat: Any = make.mat
ids: Any = make.ids


@given(n=rows, c=widths, seed=seeds)
def test_a_float32_array_is_taken_as_it_is(n: int, c: int, seed: int) -> None:
    x = numbers(seed, n, c)
    assert mat(n, c, x) is x
    for lay_out in LAYOUTS.values():
        laid_out = mat(n, c, lay_out(x))
        assert type(laid_out) is np.ndarray
        assert laid_out.flags.c_contiguous
        assert same_bits(laid_out, x)


@given(n=rows, c=widths, seed=seeds)
def test_lists_are_converted(n: int, c: int, seed: int) -> None:
    x = numbers(seed, max(n, 1), c)
    assert same_bits(mat(len(x), c, x.tolist()), x)
    assert same_bits(mat(len(x), c, tuple(map(tuple, x.tolist()))), x)
    whole = labels(seed, n, 9)
    assert same_bits(ids(n, whole.tolist()), whole)


@given(n=rows, c=widths)
def test_other_types_are_refused(n: int, c: int) -> None:
    for wrong in WRONG_TYPES:
        with pytest.raises(DtypeError, match=r"mat: data must be float32 in native byte order.*data\.astype"):
            mat(n, c, np.zeros((n, c), wrong))
    for wrong in WRONG_IDS:
        with pytest.raises(DtypeError, match=r"ids: data must be int32 or int64 in native byte order.*data\.astype"):
            ids(n, np.zeros(n, wrong))
    nothings: tuple[Any, ...] = (None, 1.0, {}, iter([]))
    for nothing in nothings:
        with pytest.raises(DtypeError, match="data must be a"):
            mat(n, c, nothing)
        with pytest.raises(DtypeError, match="data must be a"):
            ids(n, nothing)


@given(n=rows, c=widths)
def test_other_sizes_are_refused(n: int, c: int) -> None:
    for shape in ((n + 1, c), (n, c + 1), (n * c,), (n, c, 1)):
        with pytest.raises(ShapeError) as raised:
            mat(n, c, np.zeros(shape, np.float32))
        assert str(raised.value) == f"mat: data must be Mat[{n}, {c}], got an array of shape {list(shape)}"
    for length in ((n + 1,), (n, 1), ()):
        with pytest.raises(ShapeError) as raised:
            ids(n, np.zeros(length, np.int64))
        assert str(raised.value) == f"ids: data must be Ids[{n}], got an array of shape {list(length)}"


@pytest.mark.parametrize("data", [[[1, 2], [3]], [[1], 2], [[[1]], [2]]])
def test_ragged_lists_are_refused(data: Any) -> None:
    with pytest.raises(ShapeError, match="the rows of data have different lengths"):
        mat(2, 2, data)


@pytest.mark.parametrize("data", [[["1", "2"]], [[1j, 2]], [[None, 1.0]]])
def test_lists_of_other_things_are_refused(data: Any) -> None:
    with pytest.raises(DtypeError, match="mat: data must be float32"):
        mat(1, 2, data)


@pytest.mark.parametrize("data", [[0.5], [1.0], ["1"], [None], [2**70]])
def test_ids_are_whole_numbers(data: Any) -> None:
    with pytest.raises(DtypeError, match="ids: data must be int32 or int64"):
        ids(1, data)


@given(value=st.integers(2**63, 2**64 - 1))
def test_ids_beyond_int64_are_refused_not_wrapped(value: int) -> None:
    with pytest.raises(BendError):
        ids(1, [value])


def test_numbers_beyond_float32_are_refused_not_made_infinite() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(BendError):
            mat(1, 1, [[1e300]])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([[1e300, 1.0]], "got 1e+300, which is beyond their range"),
        ([[1.0, -3.5e38]], "got -3.5e+38, which is beyond their range"),
        ([[10**400, 1]], "got one beyond their range"),
        ([[True, 1.0]], "got True (bool)"),
        ([[1.0, np.True_]], "got np.True_ (bool)"),
        ([[1.0, np.timedelta64(1)]], "got np.timedelta64(1) (timedelta64)"),
        ([np.zeros(2)], "got an array of float64"),
        ((np.zeros(2, np.int64),), "got an array of int64"),
    ],
)
def test_what_float32_cannot_hold_is_refused(data: Any, text: str) -> None:
    with pytest.raises(DtypeError) as raised:
        mat(1, 2, data)
    assert str(raised.value) == f"mat: data must be float32 numbers, {text}"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([2**63, 0], "got one beyond their range"),
        ([-(2**63) - 1, 0], "got one beyond their range"),
        ([np.uint64(2**63), 0], "got one beyond their range"),
        ([True, 1], "got True (bool)"),
        ([1, np.False_], "got np.False_ (bool)"),
        ([1, 2.0], "got 2.0 (float)"),
        ([np.timedelta64(1), 1], "got np.timedelta64(1) (timedelta64)"),
        ([np.array(1, np.int8), 1], "got an array of int8"),
    ],
)
def test_what_int64_cannot_hold_is_refused(data: Any, text: str) -> None:
    with pytest.raises(DtypeError) as raised:
        ids(2, data)
    assert str(raised.value) == f"ids: data must be int32 or int64 numbers, {text}"


@given(n=rows, c=widths, seed=seeds)
def test_numbers_are_rounded_once(n: int, c: int, seed: int) -> None:
    wide = np.random.default_rng(seed).standard_normal((n + 1, c)) * 1e30
    assert same_bits(mat(n + 1, c, wide.tolist()), wide.astype(np.float32))
    assert same_bits(mat(n + 1, c, list(wide.astype(np.float32))), wide.astype(np.float32))
    assert mat(1, 2, [[1e-300, 2**24 + 1]]).tolist() == [[0.0, 2.0**24]]
    assert mat(1, 3, [[3.4028235e38, 1, np.int8(2)]]).tolist() == [[float(np.finfo(np.float32).max), 1.0, 2.0]]


def test_ids_of_every_kind_of_whole_number() -> None:
    assert ids(4, [2**63 - 1, -(2**63), np.uint8(7), np.array(5, np.int32)]).tolist() == [2**63 - 1, -(2**63), 7, 5]


def test_masked_numbers_are_refused_not_unmasked() -> None:
    masked = np.ma.array(np.ones((2, 3), np.float32), mask=[[False, False, True], [False] * 3])
    whole: Any = np.ma.array(np.arange(3), mask=[False, True, False])
    for refused in (masked, list(masked), [[1.0, 2.0, np.ma.masked], [1.0, 2.0, 3.0]]):
        with pytest.raises(DtypeError, match="mat: data has masked numbers, which cannot be left out"):
            mat(2, 3, refused)
    for refused in (whole, [1, np.ma.masked, 2]):
        with pytest.raises(DtypeError, match="ids: data has masked numbers, which cannot be left out"):
            ids(3, refused)
    assert type(mat(2, 3, np.ma.array(np.ones((2, 3), np.float32)))) is np.ndarray
    assert type(ids(3, np.ma.array(np.arange(3)))) is np.ndarray


def test_infinities_and_nan_in_lists_stay() -> None:
    assert same_bits(mat(1, 3, [[np.inf, -np.inf, np.nan]]), np.array([[np.inf, -np.inf, np.nan]], np.float32))
