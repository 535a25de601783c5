"""What `Mat[N, "4*D"]` is at run time: a jaxtyping annotation with the names of the place where it is written."""

from __future__ import annotations

from typing import Any, Final, Literal, NewType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.shapes import arrays, dims
from bendtorch.shapes.dims import D, N
from bendtorch.shapes.runtime import axis
from tests.support.sizes import widths

MAT: Any = arrays.Mat
IDS: Any = arrays.Ids
WIDE: Final = 12
Tokens = NewType("Tokens", int)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        ("4*D", "4*D"),
        ("4 * D", "4*D"),
        ("KV*G*HD", "KV*G*HD"),
        ("WIDE", "12"),
        ("2*WIDE + D", "2*12+D"),
        ("dims.D*2", "D*2"),
        ("unknown", "unknown"),
        (7, "7"),
        (0, "0"),
        (N, "N"),
        (Literal[3], "3"),
        (int, "_"),
        ("int*T", "_"),
        ("4*int + 1", "_"),
        ("3*interval", "3*interval"),
        (Any, "_"),
        (Tokens, "Tokens"),
    ],
)
def test_axis(size: Any, text: str) -> None:
    assert axis(size, {"D": D, "WIDE": WIDE, "dims": dims}) == text


@pytest.mark.parametrize("size", [True, False])
def test_a_truth_value_is_no_size(size: bool) -> None:
    with pytest.raises(ConfigError, match="a size is a number, a name or a string of arithmetic"):
        axis(size, {})


def test_names_are_those_of_the_place_where_it_is_written() -> None:
    local: Final = 5
    assert local == 5
    assert MAT["local", "WIDE"].dim_str == "5 12"
    assert MAT[N, "4*D"].dim_str == "N 4*D"


@pytest.mark.parametrize(
    ("kind", "sizes", "text"),
    [
        (MAT, (N,), "Mat takes 2 sizes, 1 given"),
        (MAT, N, "Mat takes 2 sizes, 1 given"),
        (MAT, (N, N, N), "Mat takes 2 sizes, 3 given"),
        (IDS, (N, N), "Ids takes 1 size, 2 given"),
    ],
)
def test_the_number_of_sizes(kind: Any, sizes: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        kind[sizes]


@given(n=st.integers(0, 4), c=widths, other=widths)
def test_annotations_know_arrays(n: int, c: int, other: int) -> None:
    matrix = np.zeros((n, c), np.float32)
    assert isinstance(matrix, MAT[n, c])
    assert isinstance(matrix, MAT[n, int])
    assert isinstance(matrix, MAT[n, other]) == (c == other)
    assert not isinstance(matrix.astype(np.float64), MAT[n, c])
    assert not isinstance(matrix.reshape(-1), MAT[n, c])


@pytest.mark.parametrize(
    ("dtype", "fits"), [("int32", True), ("int64", True), ("int16", False), ("uint32", False), ("float32", False)]
)
def test_ids_are_int32_or_int64(dtype: str, fits: bool) -> None:
    assert isinstance(np.zeros(3, dtype), IDS[3]) == fits


def test_representation() -> None:
    assert (repr(MAT), repr(IDS)) == ("Mat", "Ids")
