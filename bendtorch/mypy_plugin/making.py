"""Arrays made from nothing, from nested lists, or like another: shapes that numpy's types forget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.nodes import Expression, ListExpr, TupleExpr
from mypy.types import Instance, LiteralType, Type

from bendtorch.mypy_plugin.array_types import ArrayCall, array_of
from bendtorch.mypy_plugin.arrays import scalar_of
from bendtorch.mypy_plugin.poly import Poly

KINDS: Final = {"builtins.bool": "bool", "builtins.int": "int64", "builtins.float": "float64"}
"""What numpy makes of Python's numbers, the widest last."""


def on_like(call: ArrayCall) -> Type:
    """`np.zeros_like(x)`, `np.full_like(x, 3)`, `np.asarray(x)`, `np.array(x)`: the shape of `x`."""
    given = call.given.get("a")
    array = call.array(given)
    if call.has("shape") or call.has("ndmin"):
        return call.honest() if array is not None else call.default
    if array is not None:
        return call.make(array.sizes, call.own_dtype() if call.has("dtype") else array.dtype)
    nested = _nested(call, given) if given is not None else None
    if nested is None or not nested[0]:
        return call.default
    sizes, kind = nested
    dtype = call.own_dtype() if call.has("dtype") else call.scalar_dtype(KINDS[kind])
    return call.make([call.size_type(Poly.number(size)) for size in sizes], dtype)


def _nested(call: ArrayCall, e: Expression) -> tuple[list[int], str] | None:
    """The shape of nested lists of Python's numbers that stand in the source, and their kind; None if not even."""
    if not isinstance(e, (ListExpr, TupleExpr)):
        t = call.type_of(e)
        t = t.fallback if isinstance(t, LiteralType) else t
        return ([], t.type.fullname) if isinstance(t, Instance) and t.type.fullname in KINDS else None
    inner = [_nested(call, item) for item in e.items]
    known = [part for part in inner if part is not None]
    if not known or len(known) != len(inner) or any(sizes != known[0][0] for sizes, _ in known):
        return None
    return [len(inner), *known[0][0]], max((kind for _, kind in known), key=[*KINDS].index)


def on_sized(call: ArrayCall) -> Type:
    """`rng.normal(size=(n, c))` and its relatives: the shape is the one asked for."""
    names = call.context.callee_arg_names
    given = call.context.args[names.index("size")] if "size" in names else []
    sizes: Sequence[Expression] = given[:1]
    if len(sizes) == 1 and isinstance(sizes[0], TupleExpr):
        sizes = sizes[0].items
    polys = [call.size(size) for size in sizes]
    array = array_of(call.default)
    honest = call.honest()
    if not polys or (len(polys) == 1 and polys[0] is None) or honest is call.default or array is not None:
        return call.default
    return call.make([call.size_type(poly) for poly in polys], call.own_dtype())


def on_astype(call: ArrayCall) -> Type:
    """`x.astype(np.float32)`: where an array of any type would do, mypy forgets which one was asked for."""
    asked = call.type_of(call.given.get("dtype"))
    scalar = None if asked is None else scalar_of(asked, call.context)
    if call.receiver is None or scalar is None:
        return call.default
    return call.make(call.receiver.sizes, call.named("numpy.dtype", [scalar]))
