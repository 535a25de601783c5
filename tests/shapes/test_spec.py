"""Specs: how shapes are shown, counted and checked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ShapeError
from bendtorch.shapes.spec import ArraySpec, Spec, check_sizes, ids_spec, mat_spec, show_spec, spec_bytes

arrays: st.SearchStrategy[Any] = st.one_of(
    st.builds(mat_spec, st.integers(0, 9), st.integers(1, 9)), st.builds(ids_spec, st.integers(0, 9))
)
specs: st.SearchStrategy[Any] = st.recursive(arrays, lambda inner: st.lists(inner, max_size=3).map(tuple))


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (None, "?"),
        (mat_spec(3, 4), "Mat[3, 4]"),
        (ids_spec(5), "Ids[5]"),
        ((), "tuple[()]"),
        ((mat_spec(1, 2), (ids_spec(3), ())), "tuple[Mat[1, 2], tuple[Ids[3], tuple[()]]]"),
    ],
)
def test_shown_as_the_user_writes_the_type(spec: Spec | None, text: str) -> None:
    assert show_spec(spec) == text


@given(spec=specs)
def test_bytes_are_those_of_the_arrays(spec: Any) -> None:
    def allocated(part: Any) -> int:
        if isinstance(part, tuple):
            return sum(map(allocated, part))
        return np.zeros(part.shape, np.float32 if part.kind == "Mat" else np.int64).nbytes

    assert spec_bytes(spec) == allocated(spec)


def test_unknown_takes_no_bytes() -> None:
    assert spec_bytes(None) == 0


@given(a=arrays, b=arrays)
def test_specs_are_values(a: ArraySpec, b: ArraySpec) -> None:
    assert (a == b) == (str(a) == str(b))


@given(n=st.integers(0, 2**40), c=st.integers(1, 2**40))
def test_possible_sizes_pass(n: int, c: int) -> None:
    check_sizes("Layer", n=n, c=c)


@pytest.mark.parametrize(
    ("n", "c", "text"),
    [
        (-1, 1, "Layer: size n must be at least 0, got -1"),
        (0, 0, "Layer: size c must be at least 1, got 0"),
        (1, -3, "Layer: size c must be at least 1, got -3"),
        (1.0, 1, "Layer: size n must be an int, got float 1.0"),
        (1, True, "Layer: size c must be an int, got bool True"),
        (1, "2", "Layer: size c must be an int, got str '2'"),
        (None, 1, "Layer: size n must be an int, got NoneType None"),
        (np.int64(1), 1, "Layer: size n must be an int, got int64 np.int64(1); convert it with int(n)"),
    ],
)
def test_impossible_sizes_are_refused(n: Any, c: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        check_sizes("Layer", n=n, c=c)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
def test_a_size_of_numpy_is_told_how_to_be_an_int(kind: type[np.integer[Any]]) -> None:
    with pytest.raises(
        ShapeError, match=rf"^f: size n must be an int, got {kind.__name__} .*4.*; convert it with int\(n\)$"
    ):
        check_sizes("f", n=kind(4))  # type: ignore[arg-type]
