"""`@checked`: shapes, types and sizes of every call, and the message."""

from __future__ import annotations

import inspect
import re
from collections import deque
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.shapes import PROVE, Dim, Eq, Ids, Mat, checked
from bendtorch.shapes.arrays import FlatF32
from bendtorch.shapes.dims import D, M, N
from tests.support.sizes import rows, seeds, widths


@checked
def standardise(x: Mat[N, D], mean: Mat[1, D]) -> Mat[N, D]:
    """Take the mean away."""
    return x - mean


@checked
def pick(x: Mat[N, D], which: Ids[M]) -> Mat[M, D]:
    """The rows that `which` names."""
    picked: Any = x[which]
    promised: Mat[M, D] = picked
    return promised


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


TWO: Any = 2


@checked
def halved(x: Mat[N, "2*D"]) -> Mat[N, D]:
    """A function whose argument has arithmetic of a size that only the result has."""
    half: Any = x[:, : (x.shape[1] + 1) // 2]
    promised: Mat[N, D] = half
    return promised


@checked
def computed(x: Mat["N//D", "2*D - 1"], n: Dim[N], y: Mat[1, "D + N"], like: Mat[D, 1]) -> None:
    """Arithmetic before the sizes in it, with every operation."""


@checked
def unsettled(x: Mat[N, "4*D"]) -> Mat[N, "2*D"]:
    """A function that says nowhere what D is."""
    half: Any = x[:, ::2]
    promised: Mat[N, "2*D"] = half
    return promised


@checked
def optional(x: Mat[N, D], bias: Mat[1, D] | None = None, where: Mat[N, D] | Ids[N] | FlatF32 | float = 1) -> None:
    """A function with unions."""


@checked
def both(x: Mat[N, D], pair: tuple[Mat[N, D], Ids[N]], *more: Mat[N, D], **named: Mat[1, D]) -> tuple[Mat[N, D], int]:
    """A function with arrays in tuples, and with any number of arrays."""
    return x, len(more)


@checked
def listed(n: Dim[N], parts: list[Mat[N, D]], table: dict[str, Ids[M]]) -> list[Mat[D, N]]:
    """A function with arrays in lists and mappings."""
    return [part.T for part in parts]


@checked
def deeper(x: Mat[N, D], queue: deque[Mat[N, D]]) -> None:
    """A function with arrays where only jaxtyping looks."""


@checked
def proved(n: Dim[N], m: Dim[M], proof: Eq["N*M", "M*N"] = PROVE) -> Mat["N*M", M]:
    """A function with a proof, which is nothing at run time."""
    return np.zeros((n * m, m), np.float32)


@checked
def twice(n: Dim[N], m: Dim[N] = TWO) -> Mat[N, N]:
    """One size, given twice."""
    return np.zeros((n, m), np.float32)


@checked
def ten(x: Mat[10, D]) -> Mat[10, 1]:
    """A size that is a number, and a result of another type."""
    wide: Any = x[:, :1].astype(np.float64)
    promised: Mat[10, 1] = wide
    return promised


HALVED: Any = halved
COMPUTED: Any = computed
UNSETTLED: Any = unsettled
OPTIONAL: Any = optional
BOTH: Any = both
LISTED: Any = listed
DEEPER: Any = deeper
PROVED: Any = proved
TWICE: Any = twice
TEN: Any = ten


def index(count: int) -> Any:
    return np.zeros(count, np.int64)


@given(n=rows, d=widths, wrong=st.integers(0, 3))
def test_arithmetic_does_not_depend_on_the_order_of_the_parameters(n: int, d: int, wrong: int) -> None:
    shapes = [(n // d, 2 * d - 1), (1, d + n), (d, 1)]
    if wrong == 3:
        x, y, like = (f32(*shape) for shape in shapes)
        COMPUTED(x, n, y, like)
        COMPUTED(like=like, y=y, n=n, x=x)
        return
    shapes[wrong] = (shapes[wrong][0], shapes[wrong][1] + 1)
    with pytest.raises(ShapeError, match=f"computed: {('x', 'y', 'like')[wrong]} must be Mat"):
        COMPUTED(f32(*shapes[0]), n, f32(*shapes[1]), f32(*shapes[2]))


@given(n=rows, d=widths)
def test_arithmetic_of_a_size_of_the_result(n: int, d: int) -> None:
    assert HALVED(f32(n, 2 * d)).shape == (n, d)
    text = f"halved: x must be Mat[N, 2*D] with N={n}, D={d}, got float32 of shape [{n}, {2 * d - 1}]"
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        HALVED(f32(n, 2 * d - 1))


def test_a_quotient_by_zero_is_no_size() -> None:
    with pytest.raises(
        ShapeError, match=re.escape("x must be Mat[N//D, 2*D-1] with N=0, D=0, got float32 of shape [0")
    ):
        COMPUTED(f32(0, 0), 0, f32(1, 0), f32(0, 1))


@given(n=rows, d=widths, m=rows)
def test_arrays_in_unions_tuples_lists_and_mappings(n: int, d: int, m: int) -> None:
    x = f32(n, d)
    for where in (x, index(n), f32(m), 2.0, 2):
        OPTIONAL(x, f32(1, d), where)
    OPTIONAL(x)
    assert BOTH(x, (x, index(n)), x, x, bias=f32(1, d))[1] == 2
    assert len(LISTED(n, [x, x], {"a": index(m), "b": index(m)})) == 2
    assert LISTED(n, [], {}) == []
    DEEPER(x, deque([x, x]))
    assert PROVED(n, m).shape == (n * m, m)
    assert TWICE(2).shape == (2, 2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: OPTIONAL(f32(2, 3), f32(1, 4)),
            ShapeError,
            "optional: bias must be Mat[1, D] with N=2, D=3, got float32 of shape [1, 4]",
        ),
        (
            lambda: OPTIONAL(f32(2, 3), [1.0]),
            DtypeError,
            "optional: bias must be Mat[1, D] | None with N=2, D=3, got [1.0]",
        ),
        (
            lambda: OPTIONAL(f32(2, 3), None, index(3)),
            ShapeError,
            "optional: where must be Ids[N] with N=2, D=3, got int64 of shape [3]",
        ),
        (
            lambda: OPTIONAL(f32(2, 3), None, "all"),
            DtypeError,
            "optional: where must be Mat[N, D] | Ids[N] | float32[_] | float with N=2, D=3, got 'all'",
        ),
        (
            lambda: BOTH(f32(2, 3), (f32(2, 3), index(3))),
            ShapeError,
            "both: pair[1] must be Ids[N] with N=2, D=3, got int64 of shape [3]",
        ),
        (
            lambda: BOTH(f32(2, 3), (f32(2, 3),)),
            DtypeError,
            "both: pair must be tuple[Mat[N, D], Ids[N]] with N=2, D=3, got (array([[0., 0...dtype=float32),)",
        ),
        (
            lambda: BOTH(f32(2, 3), (f32(2, 3), index(2)), f32(2, 3), f32(3, 2)),
            ShapeError,
            "both: more[1] must be Mat[N, D] with N=2, D=3, got float32 of shape [3, 2]",
        ),
        (
            lambda: BOTH(f32(2, 3), (f32(2, 3), index(2)), bias=f32(2, 3)),
            ShapeError,
            "both: named['bias'] must be Mat[1, D] with N=2, D=3, got float32 of shape [2, 3]",
        ),
        (
            lambda: LISTED(2, [f32(3, 4)], {}),
            ShapeError,
            "listed: n is 2, but size N of parts[0] is 3",
        ),
        (
            lambda: LISTED(2, [], {"a": index(3), "b": index(4)}),
            ShapeError,
            "listed: table['b'] must be Ids[M] with N=2, M=3, got int64 of shape [4]",
        ),
        (
            lambda: LISTED(2, [np.zeros((2, 3))], {}),
            DtypeError,
            "listed: parts[0] must be Mat[N, D] with N=2, got float64 of shape [2, 3]; "
            "convert it with parts[0].astype(np.float32)",
        ),
        (lambda: TWICE(3), ShapeError, "twice: m is 2, but n is 3, and both are size N"),
        (lambda: TWICE(2.0), DtypeError, "twice: n must be a size (an int), got 2.0"),
        (lambda: TWICE(True), DtypeError, "twice: n must be a size (an int), got True"),
        (lambda: TEN(f32(9, 2)), ShapeError, "ten: x must be Mat[10, D], got float32 of shape [9, 2]"),
        (
            lambda: TEN(f32(10, 2)),
            DtypeError,
            "ten: the result must be Mat[10, 1] with D=2, got float64 of shape [10, 1]; "
            "convert it with .astype(np.float32)",
        ),
        (
            lambda: STANDARDISE(np.zeros((3, 4), ">f4"), f32(1, 4)),
            DtypeError,
            "standardise: x must be Mat[N, D], got >f4 of shape [3, 4]; convert it with x.astype(np.float32)",
        ),
        (
            lambda: UNSETTLED(f32(2, 4)),
            ConfigError,
            "unsettled: nothing gives the size D of Mat[N, 4*D]; "
            "add a parameter typed Dim[D], or an array with the axis D",
        ),
    ],
)
def test_messages_about_what_stands_elsewhere(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(text)}$"):
        call()


def test_what_lies_deeper_is_left_to_jaxtyping() -> None:
    for wrong in (np.zeros((2, 3)), f32(2)):
        with pytest.raises(DtypeError, match=r"deeper: queue must be collections\.deque"):
            DEEPER(f32(2, 3), deque([wrong]))


def test_what_has_no_annotation_is_not_checked() -> None:
    def untyped(x, y: int):  # type: ignore[no-untyped-def]
        return x

    assert checked(untyped)("anything", 1) == "anything"
