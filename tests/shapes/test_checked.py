"""`@checked`: shapes, types and sizes of every call, and the message."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.shapes import Dim, Ids, Mat, checked
from bendtorch.shapes.dims import D, M, N
from tests.support.sizes import rows, seeds, widths


@checked
def standardise(x: Mat[N, D], mean: Mat[1, D]) -> Mat[N, D]:
    """Take the mean away."""
    return x - mean


@checked
def pick(x: Mat[N, D], which: Ids[M]) -> Mat[M, D]:
    """The rows that `which` names."""
    return x[which]


@checked
def sized(n: Dim[N], x: Mat[N, D], scale: float = 1.0) -> Mat[N, D]:
    """A function whose size is an argument."""
    return x * np.float32(scale)


@checked
def widened(d: Dim[D], x: Mat[N, "4*D"]) -> Mat[N, D]:
    """A function whose shapes have arithmetic in them, of a size that only the argument gives."""
    return x[:, :d]


@checked
def doubled(x: Mat[N, D]) -> Mat[N, "2*D"]:
    """A function whose result has arithmetic in it."""
    return np.concatenate([x, x], axis=1)


@checked
def broken(n: Dim[N]) -> Mat[N, 3]:
    """A function whose result is not what it promises."""
    made: Any = np.zeros((n + 1, 3), np.float32)
    promised: Mat[N, 3] = made
    return promised


@checked
def wrong(x: Mat[N, D]) -> Mat[N, D]:
    """Another one."""
    turned: Any = x.T
    promised: Mat[N, D] = turned
    return promised


STANDARDISE: Any = standardise
PICK: Any = pick
SIZED: Any = sized
WIDENED: Any = widened
DOUBLED: Any = doubled
BROKEN: Any = broken
WRONG: Any = wrong


def f32(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


@given(n=rows, d=widths, m=rows, seed=seeds)
def test_what_fits_is_called(n: int, d: int, m: int, seed: int) -> None:
    assert STANDARDISE(f32(n, d), f32(1, d)).shape == (n, d)
    assert PICK(f32(n + 1, d), np.zeros(m, np.int32)).shape == (m, d)
    assert SIZED(n, f32(n, d), scale=2.0).shape == (n, d)
    assert SIZED(x=f32(n, d), n=n).shape == (n, d)
    assert DOUBLED(f32(n, d)).shape == (n, 2 * d)


@given(n=rows, d=widths)
def test_arithmetic_of_a_size_argument(n: int, d: int) -> None:
    assert WIDENED(d, f32(n, 4 * d)).shape == (n, d)
    with pytest.raises(ShapeError):
        WIDENED(d, f32(n, 4 * d + 1))


@given(n=rows, d=widths)
def test_a_size_that_is_not_the_arrays(n: int, d: int) -> None:
    with pytest.raises(ShapeError, match=f"^sized: n is {n + 1}, but size N of x is {n}$"):
        SIZED(n + 1, f32(n, d))


def test_a_size_argument_holds_for_the_result_too() -> None:
    with pytest.raises(ShapeError, match="broken"):
        BROKEN(2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: STANDARDISE(f32(3, 4), f32(1, 5)),
            ShapeError,
            "standardise: mean must be Mat[1, D] with N=3, D=4, got float32 of shape [1, 5]",
        ),
        (
            lambda: STANDARDISE(f32(3, 4), f32(2, 4)),
            ShapeError,
            "standardise: mean must be Mat[1, D] with N=3, D=4, got float32 of shape [2, 4]",
        ),
        (
            lambda: STANDARDISE(f32(3), f32(1, 4)),
            ShapeError,
            "standardise: x must be Mat[N, D], got float32 of shape [3]",
        ),
        (
            lambda: STANDARDISE(np.zeros((3, 4)), f32(1, 4)),
            DtypeError,
            "standardise: x must be Mat[N, D], got float64 of shape [3, 4]; convert it with x.astype(np.float32)",
        ),
        (
            lambda: PICK(f32(3, 4), np.zeros(2)),
            DtypeError,
            "pick: which must be Ids[M] with N=3, D=4, got float64 of shape [2]; "
            "convert it with which.astype(np.int64)",
        ),
        (lambda: STANDARDISE([[1.0]], f32(1, 1)), DtypeError, "standardise: x must be Mat[N, D], got [[1.0]]"),
        (
            lambda: WRONG(f32(2, 3)),
            ShapeError,
            "wrong: the result must be Mat[N, D] with N=2, D=3, got float32 of shape [3, 2]",
        ),
        (lambda: SIZED(2, f32(2, 3), "two"), DtypeError, "sized: scale must be float with N=2, D=3, got 'two'"),
    ],
)
def test_messages(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        call()


def test_an_error_of_the_function_itself_comes_through() -> None:
    def fails(x: Mat[N, D]) -> Mat[N, D]:
        raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        checked(fails)(f32(1, 1))
    with pytest.raises(TypeError, match="missing a required argument"):
        STANDARDISE(f32(1, 1))


def test_it_keeps_the_functions_name_text_and_signature() -> None:
    assert STANDARDISE.__name__ == "standardise"
    assert STANDARDISE.__doc__ == "Take the mean away."
    assert list(inspect.signature(STANDARDISE).parameters) == ["x", "mean"]


def test_sizes_of_one_call_do_not_stay_for_the_next() -> None:
    assert STANDARDISE(f32(1, 2), f32(1, 2)).shape == (1, 2)
    assert STANDARDISE(f32(3, 4), f32(1, 4)).shape == (3, 4)
