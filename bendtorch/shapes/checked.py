"""`@checked`: the shapes in a function's annotations, enforced at every call.

It is jaxtyping with beartype underneath, and beyond them: the value of a parameter `n: Dim[N]` is compared with the
axis `N` of the arrays beside it, and what is raised is `ShapeError` or `DtypeError` of this package. A call costs some
50 microseconds, so it belongs at boundaries (data loading, a user's own functions), not into every layer: layers guard
their arrays themselves.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar, get_type_hints

import numpy as np
from beartype import beartype
from jaxtyping import TypeCheckError, jaxtyped

from bendtorch.errors import DtypeError, ShapeError

Q = ParamSpec("Q")
Result = TypeVar("Result")

PARAMETER = re.compile(r"whilst typechecking parameter '(\w+)'")
BINDINGS = re.compile(r"are as follows\.\n((?:\w+=\d+\n?)*)")


def checked(function: Callable[Q, Result]) -> Callable[Q, Result]:
    """Wrap a function so that arrays which do not fit its annotations raise `ShapeError` or `DtypeError`.

        @checked
        def standardise(x: Mat[N, D], mean: Mat[1, D]) -> Mat[N, D]: ...

    The message names the function, the parameter (or the result), what came, what was expected, and the sizes that the
    other arguments have settled.
    """
    enforced = jaxtyped(typechecker=beartype)(function)
    signature = inspect.signature(function)
    hints: dict[str, Any] = {}

    @functools.wraps(function)
    def wrapper(*args: Q.args, **kwargs: Q.kwargs) -> Result:
        if not hints:
            hints.update(get_type_hints(function, include_extras=True))
        given = signature.bind(*args, **kwargs).arguments
        try:
            _check_dims(function.__name__, given, hints)
            return enforced(*args, **kwargs)
        except TypeCheckError as problem:
            raise _reworded(function.__name__, given, hints, str(problem)) from None

    return wrapper


def _check_dims(name: str, given: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Hold the value of each `n: Dim[N]` against the axis `N` of the arrays among the arguments."""
    sizes: dict[str, tuple[int, str]] = {}
    for parameter, value in given.items():
        axes = str(getattr(hints.get(parameter), "dim_str", "")).split()
        if isinstance(value, np.ndarray) and value.ndim == len(axes):
            for axis, size in zip(axes, value.shape, strict=True):
                sizes.setdefault(axis, (size, parameter))
    for parameter, value in given.items():
        variable = _dimension(hints.get(parameter))
        if variable in sizes and value != sizes[variable][0]:
            size, other = sizes[variable]
            raise ShapeError(f"{name}: {parameter} is {value}, but size {variable} of {other} is {size}")


def _dimension(hint: Any) -> str:
    """The name of the variable in `Dim[N]`; empty for any other annotation."""
    if getattr(hint, "__metadata__", ()) == ("size",) and isinstance(hint.__origin__, TypeVar):
        return str(hint.__origin__.__name__)
    return ""


def _reworded(name: str, given: Mapping[str, Any], hints: Mapping[str, Any], text: str) -> ShapeError | DtypeError:
    """jaxtyping's report as one line and one of our errors."""
    found = PARAMETER.search(text)
    hint = hints.get(found[1] if found else "return")
    value = given.get(found[1]) if found else None
    want = f"{_kind(hint)}[{', '.join(str(getattr(hint, 'dim_str', '?')).split())}]"
    actual = re.search(r"Actual value: (.*)", text)
    got = (
        f"{value.dtype} of shape {list(value.shape)}" if isinstance(value, np.ndarray) else actual[1] if actual else "?"
    )
    bound = BINDINGS.search(text)
    where = f" with {', '.join(bound[1].split())}" if bound and bound[1] else ""
    what = found[1] if found else "the result"
    wrong_type = isinstance(value, np.ndarray) and value.dtype.name not in getattr(hint, "dtypes", (value.dtype.name,))
    hint_text = f"; convert it with {what}.astype(np.{hint.dtypes[-1]})" if wrong_type and hint is not None else ""
    kind = DtypeError if wrong_type or (found and not isinstance(value, np.ndarray)) else ShapeError
    return kind(f"{name}: {what} must be {want}{where}, got {got}{hint_text}")


def _kind(hint: Any) -> str:
    """`Mat` or `Ids`, or the name of any other annotation."""
    dtypes = getattr(hint, "dtypes", ())
    if dtypes == ("float32",):
        return "Mat"
    return "Ids" if "int64" in dtypes else str(getattr(hint, "__name__", hint))
