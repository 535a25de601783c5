"""Elementwise operations: the operators, numpy's ufuncs, `np.where`, `np.clip`. Shapes are broadcast as numpy does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.nodes import Expression
from mypy.plugin import MethodContext
from mypy.types import AnyType, Instance, LiteralType, Type, UnionType, get_proper_type

from bendtorch.mypy_plugin.array_types import Array, ArrayCall, array_of, is_whole, scalar_name
from bendtorch.mypy_plugin.fitting import broadcast, into_out
from bendtorch.mypy_plugin.remedies import turning
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.vocabulary import BEND_SHAPE

COMPARISONS: Final = frozenset({"__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"})
NUMBERS: Final = frozenset({"builtins.int", "builtins.float", "builtins.bool"})
TRUTH: Final = frozenset(
    {
        *("greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "isnan", "isinf", "isfinite"),
        *("logical_and", "logical_or", "logical_not", "logical_xor", "signbit"),
    }
)
"""ufuncs that give truth values."""


def on_operator(call: ArrayCall) -> Type:
    """`a op b` where one or both are arrays."""
    own = call.context.type if isinstance(call.context, MethodContext) else None
    given = call.operand
    left, right = array_of(own), array_of(given)
    arrays = [array for array in (left, right) if array is not None]
    if own is None or given is None or isinstance(given, AnyType) or not arrays:
        return call.default
    if not all(array or is_number(t) or is_scalar(t) for array, t in ((left, own), (right, given))):
        return call.honest() if any(array.is_static for array in arrays) else call.default
    sizes = broadcast(arrays, call)
    if sizes is None:
        why = turning(show(own), show(given))
        call.api.fail(
            f"{show(own)} and {show(given)} have different shapes{why}", call.context.context, code=BEND_SHAPE
        )
        return own
    if call.name in COMPARISONS:
        return call.make(sizes, call.scalar_dtype("bool"))
    if any(not array and not is_number(t) for array, t in ((left, own), (right, given))):
        return call.make(sizes, call.own_dtype())
    is_float = any(scalar_name(array.dtype) == "float32" for array in arrays)
    return call.make(sizes, call.dtype_of(arrays) if is_float else call.own_dtype())


def on_ufunc(call: ArrayCall) -> Type:
    """`np.exp(x)`, `np.maximum(x, 0)`, `np.add(x, y, out=z)`, ..."""
    if call.has("where") or call.has("axes") or call.has("axis") or call.has_two_results:
        return call.honest()
    name = _ufunc_name(call)
    call.name = f"np.{name}"
    count = call.input_count
    parts = call.positional[:count]
    if count is not None and len(call.positional) == count + 1:
        call.given["out"] = call.positional[count]
    made = of_parts(call, parts, call.honest(), call.scalar_dtype("bool") if name in TRUTH else None)
    return into_out(call, made, is_broadcast=True)


def _ufunc_name(call: ArrayCall) -> str:
    t = get_proper_type(call.context.type) if isinstance(call.context, MethodContext) else None
    name = get_proper_type(t.args[0]) if isinstance(t, Instance) and t.args else None
    return str(name.value) if isinstance(name, LiteralType) else call.name


def of_parts(call: ArrayCall, parts: Sequence[Expression], otherwise: Type, dtype: Type | None = None) -> Type:
    """The result of an operation on arrays and numbers that are broadcast together."""
    arrays: list[Array] = []
    for part in parts:
        t = call.type_of(part)
        array = array_of(t)
        if array is not None:
            arrays.append(array)
        elif t is None or not is_number(t):
            return otherwise
    if not arrays:
        return call.default
    sizes = broadcast(arrays, call)
    if sizes is None:
        texts = [show(array.t) for array in arrays]
        call.fail(f"{' and '.join(texts)} have different shapes{turning(*texts) if len(texts) == 2 else ''}")
        return otherwise
    if dtype is None:
        dtype = call.own_dtype() if call.has("dtype") else call.dtype_of(arrays)
    return call.make(sizes, dtype)


def is_number(t: Type) -> bool:
    """Whether it is a number of Python's, or a float32 or a bool of numpy's: none of them changes a float32 array."""
    t = get_proper_type(t)
    if isinstance(t, UnionType):
        return all(map(is_number, t.items))
    is_named = isinstance(t, Instance) and (t.type.fullname in NUMBERS or show(t) in ("floating[_32Bit]", "float32"))
    return is_named or is_whole(t)


def is_scalar(t: Type) -> bool:
    """Whether it is a number of numpy's, which has no axes."""
    t = get_proper_type(t)
    return isinstance(t, Instance) and t.type.has_base("numpy.generic")
