"""How shapes fit each other: broadcast together, and put into an array that is there already (`+=`, `out=`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.nodes import TupleExpr
from mypy.types import Type

from bendtorch.mypy_plugin.array_types import Array, ArrayCall, array_of
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import poly_of, same

ONE: Final = Poly.number(1)


def broadcast(arrays: Sequence[Array], call: ArrayCall) -> list[Type] | None:
    """The sizes of the result; None when two do not fit."""
    rank = max(len(array.sizes) for array in arrays)
    result: list[Type] = []
    for axis in range(rank):
        sizes = [a.sizes[len(a.sizes) - rank + axis] for a in arrays if len(a.sizes) - rank + axis >= 0]
        size = _common_size(sizes, call)
        if size is None:
            return None
        result.append(size)
    return result


def _common_size(sizes: Sequence[Type], call: ArrayCall) -> Type | None:
    large = [size for size in sizes if poly_of(size) != ONE]
    if not large:
        return sizes[0]
    if any(poly_of(size) is None for size in large):
        return large[0] if all(same(large[0], size) for size in large[1:]) else call.size_type(None)
    return large[0] if all(same(large[0], size) for size in large[1:]) else None


def can_hold(own: Array, given: Array, call: ArrayCall) -> bool:
    """Whether an array has the shape that comes out when another is broadcast with it."""
    sizes = broadcast([own, given], call)
    return sizes is not None and len(sizes) == len(own.sizes) and all(map(same, sizes, own.sizes))


def into_out(call: ArrayCall, result: Type, *, is_broadcast: bool = False) -> Type:
    """The result of a call, put into the array given as `out` if one is: that must have its shape."""
    if not call.has("out"):
        return result
    given = call.given["out"]
    if isinstance(given, TupleExpr) and len(given.items) == 1:
        given = given.items[0]
    out, made = call.array(given), array_of(result)
    if out is None or made is None:
        return call.honest()
    equal = len(out.sizes) == len(made.sizes) and all(map(same, out.sizes, made.sizes))
    if not equal and not (is_broadcast and can_hold(out, made, call)):
        call.fail(f'"out" is {show(out.t)}, the result is {show(made.t)}; give an array of that shape')
    return out.t
