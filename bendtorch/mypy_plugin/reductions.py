"""Reductions: `x.sum(axis=1, keepdims=True)`, `np.max(x, axis=0)`, `np.mean(x)`, ..."""

from __future__ import annotations

from typing import Final

from mypy.nodes import Expression, IntExpr, NameExpr, TupleExpr, UnaryExpr
from mypy.types import AnyType, Type, get_proper_type

from bendtorch.mypy_plugin.array_types import Array, ArrayCall
from bendtorch.mypy_plugin.fitting import into_out

OF_METHOD: Final = ("axis", "dtype", "out", "keepdims")
WITHOUT_DTYPE: Final = ("axis", "out", "keepdims")
OTHER_DTYPES: Final = {"argmax": "intp", "argmin": "intp", "any": "bool", "all": "bool"}
KEEP_DTYPE: Final = frozenset({"sum", "prod", "mean", "std", "var", "max", "min", "amax", "amin", "ptp"})
REDUCTIONS: Final = KEEP_DTYPE | frozenset(OTHER_DTYPES)
NORM: Final = ("a", "ord", "axis", "keepdims")
"""The parameters of `np.linalg.norm`, a reduction too."""


def parameters_of(name: str, *, is_method: bool) -> tuple[str, ...]:
    """The parameters of a reduction, in order."""
    own = OF_METHOD if name in ("sum", "prod", "mean", "std", "var") else WITHOUT_DTYPE
    return own if is_method else ("a", *own)


def on_reduction(call: ArrayCall) -> Type:
    """The sizes without the axes that are summed over, or with 1 in their place."""
    array = call.receiver or call.array(call.given.get("a"))
    if array is None:
        return call.default
    keep = _truth(call.given.get("keepdims"))
    axes = _axes(call, len(array.sizes))
    if axes is None or keep is None or call.has("where"):
        return call.honest()
    if any(not 0 <= axis < len(array.sizes) for axis in axes):
        missing = next(axis for axis in axes if not 0 <= axis < len(array.sizes))
        call.fail(f"an array of {len(array.sizes)} axes has no axis {missing}; the last is {len(array.sizes) - 1}")
        return call.honest()
    sizes = [call.one() if axis in axes else size for axis, size in enumerate(array.sizes) if keep or axis not in axes]
    if not sizes and not isinstance(get_proper_type(call.default), AnyType):
        return call.default
    return into_out(call, call.make(sizes, _dtype(call, array)))


def _dtype(call: ArrayCall, array: Array) -> Type:
    if call.has("dtype"):
        return call.own_dtype()
    return call.scalar_dtype(OTHER_DTYPES[call.name]) if call.name in OTHER_DTYPES else array.dtype


def _axes(call: ArrayCall, rank: int) -> list[int] | None:
    """The axes that are summed over, all of them without an argument; None when they are not numbers in the source."""
    if not call.has("axis"):
        return list(range(rank))
    given = call.given["axis"]
    parts = given.items if isinstance(given, TupleExpr) else [given]
    axes = [number(part) for part in parts]
    return None if None in axes else [axis + rank if axis < 0 else axis for axis in axes if axis is not None]


def number(e: Expression | None) -> int | None:
    """The number that stands in the source, perhaps with a sign."""
    match e:
        case IntExpr():
            return e.value
        case UnaryExpr(op="-", expr=IntExpr() as inner):
            return -inner.value
    return None


def _truth(e: Expression | None) -> bool | None:
    if e is None:
        return False
    return {"True": True, "False": False}.get(e.name) if isinstance(e, NameExpr) else None
