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


def test_infinities_and_nan_in_lists_stay() -> None:
    assert same_bits(mat(1, 3, [[np.inf, -np.inf, np.nan]]), np.array([[np.inf, -np.inf, np.nan]], np.float32))
