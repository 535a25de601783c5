"""`@checked`: the shapes in a function's annotations, enforced at every call.

A call's `n: Dim[N]` parameters settle sizes first, then the axes that are names; axes with arithmetic are computed, so
the order of the parameters does not matter. Arrays are compared here, also in unions, tuples, lists and mappings;
beartype checks everything else, and jaxtyping the arrays that lie deeper. A call costs some 50 microseconds: checks are
for boundaries (data loading, a user's own functions), not for every layer. Layers guard their arrays themselves.
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import re
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import GenericAlias, NoneType, SimpleNamespace, UnionType
from typing import Any, Final, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from beartype import BeartypeConf
from beartype.door import is_bearable
from jaxtyping import jaxtyped

from bendtorch.errors import BendError, ConfigError, DtypeError, ShapeError
from bendtorch.shapes.dims import Eq

Q = ParamSpec("Q")
Result = TypeVar("Result")

RETURN: Final = "return"
RESULT: Final = "the result"
UNIONS: Final = (Union, UnionType)
CONTAINERS: Final = (tuple, list, Sequence, dict, Mapping)
OPERATIONS: Final[Mapping[type[ast.operator], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
RULES: Final = BeartypeConf(is_pep484_tower=True)  # an int where a float is wanted, as type checkers have it


def checked(function: Callable[Q, Result]) -> Callable[Q, Result]:
    """Wrap a function so that arrays which do not fit its annotations raise `ShapeError` or `DtypeError`.

        @checked
        def standardise(x: Mat[N, D], mean: Mat[1, D]) -> Mat[N, D]: ...

    The message names the function, the parameter (or the result), what came, what was expected, and the sizes that the
    other arguments have settled. The first call raises `ConfigError` when nothing could settle a size in arithmetic.
    """
    signature = inspect.signature(function)
    defaults = {name: p.default for name, p in signature.parameters.items() if p.default is not p.empty}

    @functools.cache
    def expected() -> Mapping[str, Expected]:
        return _expectations(function, signature)

    @functools.wraps(function)
    def wrapper(*args: Q.args, **kwargs: Q.kwargs) -> Result:
        call = Call(function.__name__, expected())
        given = signature.bind(*args, **kwargs).arguments
        with jaxtyped("context"):  # arrays that are left to jaxtyping share their sizes
            call.settle({**defaults, **given})
            call.check(given)
            result = function(*args, **kwargs)
            call.check({RETURN: result})
        return result

    return wrapper


@dataclass(frozen=True, slots=True)
class Expected:
    """What a parameter or the result must be: `rest` is what is left for beartype, `variable` the N of a `Dim[N]`."""

    what: str
    hint: Any
    rest: Any
    variable: str


@dataclass(frozen=True, slots=True)
class Place:
    """What an annotation wants, what stands there, and how a message calls it: `x`, `x[1]`, `the result`."""

    what: str
    hint: Any
    value: Any

    def axes(self) -> list[tuple[Any, int]]:
        """Each axis that is wanted, with the size that came."""
        return list(zip(_axes(self.hint.dim_str), self.value.shape, strict=True))


class Call:
    """One call: the sizes settled so far, and the arrays that still wait for one."""

    def __init__(self, name: str, expected: Mapping[str, Expected]) -> None:
        self.name, self.expected = name, expected
        self.sizes: dict[str, int] = {}
        self.givers: dict[str, str] = {}  # size variable: the parameter `n: Dim[N]` that gives it
        self.waiting: list[Place] = []

    def settle(self, given: Mapping[str, Any]) -> None:
        """Take the sizes that are arguments themselves."""
        for name, expected in self.expected.items():
            if not expected.variable or name not in given:
                continue
            value, variable = given[name], expected.variable
            if isinstance(value, bool) or not isinstance(value, int):
                raise DtypeError(f"{self.name}: {name} must be a size (an int), got {reprlib.repr(value)}")
            giver = self.givers.setdefault(variable, name)
            if self.sizes.setdefault(variable, value) != value:
                both = f"{giver} is {self.sizes[variable]}, and both are size {variable}"
                raise ShapeError(f"{self.name}: {name} is {value}, but {both}")

    def check(self, values: Mapping[str, Any]) -> None:
        """Hold the arrays among the values against the sizes, names and numbers before arithmetic; then the rest."""
        wanted = [(value, self.expected[name]) for name, value in values.items() if name in self.expected]
        for value, expected in wanted:
            if expected.rest is not expected.hint:
                for place in _places(expected.what, expected.hint, value):
                    self._compare(place)
                    self.waiting.append(place)
        self.waiting = [place for place in self.waiting if not self._computed(place)]
        for value, expected in wanted:
            if not is_bearable(value, expected.rest, conf=RULES):
                raise self._wrong(DtypeError, Place(expected.what, expected.hint, value))

    def _compare(self, place: Place) -> None:
        """Hold the type, the rank and the axes that are names or numbers against what came; settle new names."""
        sizes = dict(self.sizes)
        if not _fits(place.hint, place.value):
            raise self._wrong(ShapeError if _has_type(place.hint, place.value) else DtypeError, place)
        for axis, size in place.axes():
            if isinstance(axis, ast.Constant) and axis.value != size:
                raise self._wrong(ShapeError, place)
            if isinstance(axis, ast.Name) and not axis.id.startswith("_") and sizes.setdefault(axis.id, size) != size:
                giver = "" if place.what.startswith(RESULT) else self.givers.get(axis.id, "")
                of_giver = f"{giver} is {sizes[axis.id]}, but size {axis.id} of {place.what} is {size}"
                raise ShapeError(f"{self.name}: {of_giver}") if giver else self._wrong(ShapeError, place)
        self.sizes = sizes

    def _computed(self, place: Place) -> bool:
        """Hold the axes with arithmetic against what came; False when one has a size that is not settled yet."""
        arithmetic = [(axis, size) for axis, size in place.axes() if isinstance(axis, ast.BinOp)]
        known = [(axis, size) for axis, size in arithmetic if _names(axis) <= self.sizes.keys()]
        if any(_size(axis, self.sizes) != size for axis, size in known):
            raise self._wrong(ShapeError, place)
        return len(known) == len(arithmetic)

    def _wrong(self, kind: type[BendError], place: Place) -> BendError:
        """An error that says what was wanted at a place, under which sizes, what came, and how to convert it."""
        value, got, advice = place.value, reprlib.repr(place.value), ""
        if isinstance(value, np.ndarray):
            got = f"{value.dtype} of shape {list(value.shape)}"
            if _is_array(place.hint) and not _has_type(place.hint, value):
                owner = "" if place.what.startswith(RESULT) else place.what
                advice = f"; convert it with {owner}.astype(np.{place.hint.dtypes[-1]})"
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes.items())
        where = f" with {sizes}" if sizes else ""
        return kind(f"{self.name}: {place.what} must be {_shown(place.hint)}{where}, got {got}{advice}")


def _expectations(function: Callable[..., Any], signature: inspect.Signature) -> Mapping[str, Expected]:
    """What the annotations of a function say; a proof (`Eq`) is the type checker's, and nothing at run time."""
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    proofs = {name for name, parameter in signature.parameters.items() if isinstance(parameter.default, Eq)}
    written = {name: hint for name, hint in inspect.get_annotations(function).items() if name not in proofs}
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    expected = {}
    for name, found in get_type_hints(SimpleNamespace(__annotations__=written), scope, include_extras=True).items():
        hint, kind = found, kinds.get(name)
        if kind is inspect.Parameter.VAR_POSITIONAL:
            hint = GenericAlias(tuple, (found, ...))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            hint = GenericAlias(dict, (str, found))
        expected[name] = Expected(RESULT if name == RETURN else name, hint, _rest(hint), _variable(found))
    _require_settled(function.__name__, expected)
    return expected


def _variable(hint: Any) -> str:
    """The name of the variable in `Dim[N]`; empty for any other annotation."""
    if getattr(hint, "__metadata__", ()) == ("size",) and isinstance(hint.__origin__, TypeVar):
        return str(hint.__origin__.__name__)
    return ""


def _require_settled(name: str, expected: Mapping[str, Expected]) -> None:
    """Refuse arithmetic with a size that no parameter and no other axis gives: it could never be checked."""
    axes = [(axis, array) for e in expected.values() for array in _arrays(e.hint) for axis in _axes(array.dim_str)]
    settled = {axis.id for axis, _ in axes if isinstance(axis, ast.Name)}
    settled |= {e.variable for parameter, e in expected.items() if parameter != RETURN}
    for axis, array in axes:
        for variable in sorted(_names(axis) - settled):
            raise ConfigError(
                f"{name}: nothing gives the size {variable} of {_shown(array)}; "
                f"add a parameter typed Dim[{variable}], or an array with the axis {variable}"
            )


def _is_array(hint: Any) -> bool:
    """Whether an annotation is an array that is compared here: of numpy, of types with names, of axes with names."""
    dtypes = getattr(hint, "dtypes", None)
    named = isinstance(dtypes, (tuple, list)) and all(isinstance(dtype, str) for dtype in dtypes)
    return named and hint.array_type is np.ndarray and bool(_axes(hint.dim_str) or not hint.dim_str)


def _has_type(hint: Any, value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.name in hint.dtypes and value.dtype.isnative


def _fits(hint: Any, value: Any) -> bool:
    return _has_type(hint, value) and value.ndim == len(_axes(hint.dim_str))


def _arrays(hint: Any) -> list[Any]:
    """The arrays in an annotation that are compared here."""
    if _is_array(hint):
        return [hint]
    looked_into = get_origin(hint) in (*UNIONS, *CONTAINERS)
    return [array for inner in get_args(hint) for array in _arrays(inner)] if looked_into else []


def _rest(hint: Any) -> Any:
    """What is left for beartype: the annotation with np.ndarray in place of the arrays that are compared here."""
    if _is_array(hint):
        return np.ndarray
    if not _arrays(hint):
        return hint
    origin, inner = get_origin(hint), tuple(map(_rest, get_args(hint)))
    return functools.reduce(operator.or_, inner) if origin in UNIONS else origin[inner]


def _places(what: str, hint: Any, value: Any) -> Iterator[Place]:
    """The arrays that an annotation wants in a value; none where the value is of another structure altogether."""
    origin, inner = get_origin(hint), get_args(hint)
    if _is_array(hint):
        yield Place(what, hint, value)
    elif origin in UNIONS:
        arrays = sorted(filter(_is_array, inner), key=lambda array: not _fits(array, value))
        others = [each for each in inner if get_origin(each) in CONTAINERS and isinstance(value, get_origin(each))]
        for chosen in (arrays if isinstance(value, np.ndarray) else others)[:1]:
            yield from _places(what, chosen, value)
    elif origin in CONTAINERS and isinstance(value, origin):
        mapping, fixed = issubclass(origin, Mapping), origin is tuple and inner[1:] != (...,)
        hints = inner if fixed else (inner[1 if mapping else 0],) * len(value)
        parts = value.items() if mapping else enumerate(value)
        for each, (place, part) in zip(hints, parts, strict=False):  # beartype refuses another length
            yield from _places(f"{what}[{place!r}]", each, part)


@functools.cache
def _axes(dims: str) -> tuple[ast.expr, ...]:
    """The axes of a shape as names, numbers and arithmetic; none when jaxtyping's text has more (`*batch`, `...`)."""
    try:
        axes = tuple(ast.parse(axis, mode="eval").body for axis in dims.split())
    except SyntaxError:
        return ()
    return axes if all(map(_is_size, axes)) else ()


def _is_size(axis: ast.expr) -> bool:
    if isinstance(axis, ast.BinOp):
        return type(axis.op) in OPERATIONS and _is_size(axis.left) and _is_size(axis.right)
    return isinstance(axis, ast.Name) or (isinstance(axis, ast.Constant) and type(axis.value) is int)


def _names(axis: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(axis) if isinstance(node, ast.Name)}


def _size(axis: Any, sizes: Mapping[str, int]) -> int:
    """The value of an axis; -1, which no array has, for a quotient by zero."""
    if isinstance(axis, ast.BinOp):
        left, right = _size(axis.left, sizes), _size(axis.right, sizes)
        return -1 if isinstance(axis.op, ast.FloorDiv) and right == 0 else OPERATIONS[type(axis.op)](left, right)
    return sizes[axis.id] if isinstance(axis, ast.Name) else int(axis.value)


def _shown(hint: Any) -> str:
    """An annotation as users write it."""
    origin, inner = get_origin(hint), list(map(_shown, get_args(hint)))
    if _is_array(hint):
        kinds = {(("float32",), 2): "Mat", (("int32", "int64"), 1): "Ids"}
        axes = hint.dim_str.split()
        return f"{kinds.get((tuple(hint.dtypes), len(axes)), '|'.join(hint.dtypes))}[{', '.join(axes)}]"
    if origin in UNIONS:
        return " | ".join(inner)
    if origin in CONTAINERS:
        return f"{origin.__name__}[{', '.join(inner)}]"
    if hint in (NoneType, ...):
        return "None" if hint is NoneType else "..."
    return hint.__name__ if isinstance(hint, type) else re.sub(r"\btyping\.", "", str(hint))
