"""Arrays made from nothing, from nested lists, or like another: shapes that numpy's types forget."""

from __future__ import annotations

from typing import Final

from mypy.nodes import Expression, ListExpr, TupleExpr
from mypy.types import FunctionLike, Instance, LiteralType, Type, get_proper_type

from bendtorch.mypy_plugin.array_types import CONTAINERS, ArrayCall, array_of, is_whole, scalar_name
from bendtorch.mypy_plugin.arrays import scalar_of
from bendtorch.mypy_plugin.fitting import can_hold
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.reductions import number
from bendtorch.mypy_plugin.sealing import ARRAY
from bendtorch.mypy_plugin.show import show

KINDS: Final = {"builtins.bool": "bool", "builtins.int": "int64", "builtins.float": "float64"}
"""What numpy makes of Python's numbers, the widest last."""
SIZES_APART: Final = frozenset({"rand", "randn"})
"""Functions of `np.random` that take each size as an argument of its own."""
SHUFFLES: Final = frozenset({"permutation", "permuted"})
"""What gives the same numbers in another order."""


def on_like(call: ArrayCall) -> Type:
    """`np.zeros_like(x)`, `np.full_like(x, 3)`, `np.asarray(x)`, `np.array(x)`: the shape of `x`."""
    given = call.given.get("a")
    array = call.array(given)
    if call.has("ndmin"):
        return call.honest()
    if call.has("shape"):
        sizes = call.shape_in(call.given["shape"])
        return call.honest() if sizes is None else call.make(sizes, call.own_dtype())
    if array is not None:
        return call.make(array.sizes, call.own_dtype() if call.has("dtype") else array.dtype)
    nested = _nested(call, given) if given is not None else None
    if nested is None or not nested[0]:
        return call.make([call.size_type(None)], call.own_dtype()) if _is_of_numbers(call, given) else call.default
    numbers, kind = nested
    dtype = call.own_dtype() if call.has("dtype") else call.scalar_dtype(KINDS[kind])
    return call.make([call.size_type(Poly.number(size)) for size in numbers], dtype)


def _is_of_numbers(call: ArrayCall, e: Expression | None) -> bool:
    """Whether it is a list or a tuple of Python's numbers, of whatever length."""
    t = call.type_of(e)
    item = get_proper_type(t.args[0]) if isinstance(t, Instance) and t.type.fullname in CONTAINERS else None
    return isinstance(item, Instance) and item.type.fullname in KINDS


def on_one_axis(call: ArrayCall) -> Type:
    """`np.fromfile`, `np.bincount`, `np.flatnonzero`: of one axis, whatever its length."""
    return call.make([call.size_type(None)], call.own_dtype())


def on_view(call: ArrayCall) -> Type:
    """`x.view(np.uint32)`: the same bytes, read as numbers of another type."""
    array, asked = call.receiver, call.type_of(call.given.get("dtype"))
    if array is None or (asked is None and call.given):
        return call.default
    made = get_proper_type(asked.items[0].ret_type) if isinstance(asked, FunctionLike) and asked.is_type_obj() else None
    if asked is None or (isinstance(made, Instance) and made.type.fullname == ARRAY):
        return array.t
    scalar = scalar_of(asked, call.context)
    if scalar is None or not array.sizes:
        return call.honest()
    dtype = call.named("numpy.dtype", [scalar])
    widths = {scalar_name(one).lstrip("abcdefghijklmnopqrstuvwxyz") for one in (dtype, array.dtype)}
    last = array.sizes[-1] if len(widths) == 1 and "" not in widths else call.size_type(None)
    return call.make([*array.sizes[:-1], last], dtype)


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
    sizes = call.shape_in(given[0]) if given else None
    if sizes is None or call.honest() is call.default or array_of(call.default) is not None:
        return call.default
    return call.make(sizes, call.own_dtype())


def on_random(call: ArrayCall) -> Type:
    """Functions of `np.random`, and methods of a generator."""
    if call.name in SIZES_APART and call.positional:
        return call.make([call.size_type(call.size(size)) for size in call.positional], call.own_dtype())
    array = call.array(call.positional[0]) if call.name in SHUFFLES and call.positional else None
    picked_from = call.array(call.positional[0]) if call.name == "choice" and call.positional else None
    if picked_from is not None and len(picked_from.sizes) > 1:
        return call.honest()
    return on_sized(call) if array is None else call.make(array.sizes, array.dtype)


def on_eye(call: ArrayCall) -> Type:
    """`np.eye(c)`, `np.eye(n, c, dtype=np.float32)`, `np.identity(n)`."""
    sizes = [e for label, e in call.given.items() if label in ("0", "1", "N", "M", "n")]
    if call.name == "identity" or len(sizes) < 2:
        sizes = sizes[:1] * 2
    return call.make([call.size_type(call.size(size)) for size in sizes], call.own_dtype())


def on_broadcast(call: ArrayCall) -> Type:
    """`np.broadcast_to(v, x.shape)`."""
    array, sizes = call.array(call.given.get("a")), call.shape_in(call.given.get("shape"))
    if array is None or not sizes:
        return call.honest()
    made = call.make(sizes, array.dtype)
    wanted = array_of(made)
    is_known = wanted is not None and None not in (*wanted.polys, *array.polys)
    if wanted is not None and is_known and not can_hold(wanted, array, call):
        call.fail(f"{show(array.t)} cannot be broadcast to {show(made)}")
    return made


def on_expand(call: ArrayCall) -> Type:
    """`np.expand_dims(v, 1)`."""
    array, axis = call.array(call.given.get("a")), number(call.given.get("axis"))
    if array is None or axis is None:
        return call.honest()
    sizes = list(array.sizes)
    axis += len(sizes) + 1 if axis < 0 else 0
    if not 0 <= axis <= len(sizes):
        return call.honest()
    return call.make([*sizes[:axis], call.one(), *sizes[axis:]], array.dtype)


def on_repeat(call: ArrayCall) -> Type:
    """`np.repeat(x, t, axis=0)`, `x.repeat(t, 0)`: so many times along an axis."""
    array = call.receiver or call.array(call.given.get("a"))
    repeats, axis = call.given.get("repeats"), number(call.given.get("axis"))
    times = None if repeats is None else call.type_of(repeats)
    if array is None or axis is None or repeats is None or times is None or not is_whole(times):
        return call.honest()
    axis += len(array.sizes) if axis < 0 else 0
    if not 0 <= axis < len(array.sizes):
        return call.honest()
    sizes, count, old = list(array.sizes), call.size(repeats), array.polys[axis]
    sizes[axis] = call.size_type(None if count is None or old is None else old * count)
    return call.make(sizes, array.dtype)


def on_astype(call: ArrayCall) -> Type:
    """`x.astype(np.float32)`: where an array of any type would do, mypy forgets which one was asked for."""
    asked = call.type_of(call.given.get("dtype"))
    scalar = None if asked is None else scalar_of(asked, call.context)
    if call.receiver is None or scalar is None:
        return call.default
    return call.make(call.receiver.sizes, call.named("numpy.dtype", [scalar]))
