"""Users' functions of numbers: what is refused, what is compiled once, what is compiled again."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bendtorch.errors import ConfigError
from bendtorch.kernels import vecmath
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.scalars import _mapped, map_of, zip_of
from tests.support.arrays import numbers
from tests.support.kernels import compiled

EXP: Any = vecmath.exp
THING = object()


def applied(kernel: Any, *arrays: Any) -> Any:
    out = np.empty_like(arrays[0])
    kernel(*arrays, out)
    return out


def test_functions_of_one_and_of_two_numbers() -> None:
    a, b = numbers(0, 3, 5), numbers(1, 3, 5)
    assert np.allclose(applied(map_of(lambda x: 0.5 * x + math.sqrt(x * x), "f"), a), 0.5 * a + np.abs(a))
    assert np.array_equal(applied(zip_of(lambda x, y: x if x > y else y + 0, "f"), a, b), np.maximum(a, b))


def test_the_projects_own_functions_and_compiled_ones_may_be_called() -> None:
    a = numbers(0, 3, 5)
    assert np.allclose(applied(map_of(lambda x: EXP(x) - 1, "f"), a), np.expm1(a), atol=1e-6)
    assert np.allclose(applied(map_of(compiled(lambda x: x + 1), "f"), a), a + 1)


def test_whole_numbers_and_truth_values_become_floats() -> None:
    a = numbers(0, 3, 5)
    assert np.array_equal(applied(map_of(lambda x: x > 0, "f"), a), a > 0)
    assert np.array_equal(applied(map_of(lambda x: 3, "f"), a), np.full((3, 5), 3))


def test_what_a_function_closes_over_is_part_of_it() -> None:
    """Also where two values are equal, as 0 and -0 and 1 and True are."""
    a = np.ones((2, 2), np.float32)

    def times(factor: Any) -> Any:
        return map_of(lambda x: x * factor, "f")

    for factor in (1, 2.0, 3.0, 2.0, True, -0.0, 0.0):
        expected = np.full((2, 2), float(factor), np.float32)
        assert applied(times(factor), a).tobytes() == expected.tobytes()


def test_the_same_function_is_compiled_once() -> None:
    def make() -> Any:
        return map_of(lambda x: x * 1.25, "f")

    make()
    before = _mapped.cache_info()
    make()
    after = _mapped.cache_info()
    assert after.hits == before.hits + 1
    assert after.misses == before.misses


def test_defaults_are_part_of_a_function() -> None:
    a = np.ones((2, 2), np.float32)

    def make(value: float) -> Any:
        def f(x: float, factor: float = value) -> float:
            return x * factor

        return map_of(f, "f")

    assert np.all(applied(make(2.0), a) == 2)
    assert np.all(applied(make(3.0), a) == 3)


class Callee:
    """A callable that is no function."""

    def __str__(self) -> str:
        return "a callable"

    def __call__(self, x: float) -> float:  # noqa: D102
        return x


@pytest.mark.parametrize(
    "value", [np.exp, math.exp, Callee(), functools.partial(max, 1.0), 3, None, "tanh", Callee], ids=str
)
def test_what_is_no_python_function_is_refused(value: Any) -> None:
    kind = type(value).__name__
    with pytest.raises(
        ConfigError, match=rf"^ActOut: f must be a Python function of one number, got {kind} .*lambda a: "
    ):
        map_of(value, "ActOut: f")
    with pytest.raises(ConfigError, match=rf"of two numbers, got {kind} .*lambda a, b: "):
        zip_of(value, "ActOut: d")


def test_another_number_of_arguments_is_refused() -> None:
    two: Any = lambda a, b: a  # noqa: E731  it stands for a user's
    one: Any = lambda a: a  # noqa: E731
    with pytest.raises(
        ConfigError, match=r"^f, the function .*lambda.*test_scalars.py:\d+\), must take one number: .*'b'"
    ):
        map_of(two, "f")
    with pytest.raises(ConfigError, match=r"must take two numbers: too many positional arguments"):
        zip_of(one, "f")


REFUSED: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "an attribute": (lambda a: a.foo, "'foo' of type float32", "has no attribute 'foo'"),
    "text": (lambda a: a + "x", r"found for signature: add\(float32, Literal\[str\]\(x\)\)", "ufunc 'add'"),
    "a name that is not there": (lambda a: a * missing, "'missing' is not defined", "'missing' is not defined"),  # type: ignore[name-defined]  # noqa: F821
    "an object": (lambda a: THING.size * a, "global name 'THING'", "no attribute 'size'"),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compiled_is_named(name: str) -> None:
    function, with_jit, without = REFUSED[name]
    with pytest.raises(ConfigError) as raised:
        map_of(function, "ActIn: f")
    assert raised.match(r"^ActIn: f, the function <lambda> \(.*test_scalars.py:\d+\), cannot be compiled: ")
    assert raised.match(with_jit if JIT else without)
    assert raised.match("it may use arithmetic")
    assert raised.value.__cause__ is not None
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("function", [lambda a: None, lambda a: (a, a), lambda a: [a], lambda a: "x"])
def test_what_gives_no_number_is_refused(function: Any) -> None:
    with pytest.raises(ConfigError, match="must give a number, gives "):
        map_of(function, "f")


@pytest.mark.skipif(not JIT, reason="with the JIT off, the exception itself is seen")
def test_an_exception_of_the_function_is_named() -> None:
    def picky(a: float) -> float:
        if a > 2:
            raise ValueError("too large")
        return a

    kernel = map_of(picky, "map: f")
    assert np.all(applied(kernel, np.ones((2, 2), np.float32)) == 1)
    with pytest.raises(
        ConfigError, match=r"^map: f, the function .*picky .*raised an exception for one of the numbers"
    ):
        applied(kernel, np.full((2, 2), 3, np.float32))
