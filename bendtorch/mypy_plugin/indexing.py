"""Basic indexing, `x[:3, 1]`, and the ways to give the same numbers another shape."""

from __future__ import annotations

from collections.abc import Sequence

from mypy.nodes import EllipsisExpr, Expression, IndexExpr, ListExpr, NameExpr, SliceExpr, TupleExpr
from mypy.types import Instance, LiteralType, Type, get_proper_type

from bendtorch.mypy_plugin.array_types import Array, ArrayCall, scalar_name
from bendtorch.mypy_plugin.fitting import into_out
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.reductions import number
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import poly_of


def on_index(call: ArrayCall) -> Type:
    """`x[...]` with numbers, slices, `None`, `...` and one array of indices; other shapes are not known."""
    array, node = call.receiver, call.context.context
    if array is None or not isinstance(node, IndexExpr):
        return call.default
    sizes = indexed(call, array, index_parts(node.index))
    return call.honest() if sizes is None else call.make(sizes, array.dtype)


def index_parts(index: Expression) -> list[Expression]:
    """What stands between the commas of an index."""
    return list(index.items) if isinstance(index, TupleExpr) else [index]


def indexed(call: ArrayCall, array: Array, items: list[Expression]) -> list[Type] | None:
    """The sizes of a part of an array; None where they are not known."""
    used = sum(not _is_none(item) and not isinstance(item, EllipsisExpr) for item in items)
    if not any(isinstance(item, EllipsisExpr) for item in items):
        items.append(EllipsisExpr())
    rest = len(array.sizes) - used
    if rest < 0:
        call.fail(f"{show(array.t)} has {len(array.sizes)} axes, {used} indices given")
        return None
    alone = sum(not _is_none(item) and not isinstance(item, (EllipsisExpr, SliceExpr)) for item in items) == 1
    sizes: list[Type] = []
    axis = 0
    for item in items:
        width = rest if isinstance(item, EllipsisExpr) else int(not _is_none(item))
        part = _indexed(call, item, array.sizes[axis : axis + width], alone=alone)
        if part is None:
            return None
        sizes += part
        axis += width
    return sizes


def _indexed(call: ArrayCall, item: Expression, sizes: Sequence[Type], *, alone: bool) -> list[Type] | None:
    """What one index makes of its axis (of all that are left, for `...`); None where that is not known."""
    if _is_none(item):
        return [call.one()]
    if isinstance(item, EllipsisExpr):
        return list(sizes)
    if isinstance(item, SliceExpr):
        return [_slice(call, item, sizes[0])]
    picked = call.array(item)
    if picked is not None and alone:
        is_mask = scalar_name(picked.dtype) == "bool"
        return ([call.size_type(None)] if len(picked.sizes) == 1 else None) if is_mask else list(picked.sizes)
    return [] if _is_int(call, item) else None


def _is_none(e: Expression) -> bool:
    return isinstance(e, NameExpr) and e.name == "None"


def _is_int(call: ArrayCall, e: Expression) -> bool:
    t = get_proper_type(call.type_of(e))
    return isinstance(t, LiteralType) or (isinstance(t, Instance) and t.type.has_base("builtins.int"))


def _slice(call: ArrayCall, item: SliceExpr, size: Type) -> Type:
    """What is left of an axis: known where the bounds are provably inside of it."""
    stride = 1 if item.stride is None else number(item.stride)
    if item.begin_index is None and item.end_index is None and stride in (1, -1):
        return size
    total = poly_of(size)
    begin = Poly.number(0) if item.begin_index is None else call.size(item.begin_index)
    end = total if item.end_index is None else call.size(item.end_index)
    if begin is None or end is None or total is None or not stride:
        return call.size_type(None)
    if begin.value is not None and end.value is not None and total.value is not None:
        first = begin.value if item.begin_index is not None else None
        last = end.value if item.end_index is not None else None
        return call.size_type(Poly.number(len(range(total.value)[first:last:stride])))
    inside = all(_is_never_negative(part) for part in (begin, end - begin, total - end))
    return call.size_type(end - begin if inside and stride == 1 else None)


def _is_never_negative(poly: Poly) -> bool:
    """Whether a polynomial is at least 0 whatever its sizes are, which are at least 0 themselves."""
    return all(factor > 0 for _, factor in poly.terms)


def on_reshape(call: ArrayCall) -> Type:
    """`x.reshape(a, b)`, `x.reshape((a, b))`, `np.reshape(x, (a, b))`: the shape is the one asked for."""
    is_method = call.receiver is not None
    array = call.receiver or call.array(call.given.get("a"))
    given = call.positional if is_method else [e for name, e in call.given.items() if name in ("shape", "newshape")]
    if is_method and not given and "shape" in call.given:
        given = [call.given["shape"]]
    if array is None or not given:
        return call.default
    if len(given) == 1 and isinstance(given[0], (TupleExpr, ListExpr)):
        given = list(given[0].items)
    elif len(given) == 1 and number(given[0]) is None and call.size(given[0]) is None:
        return call.honest()
    return _reshaped(call, array, given)


def _reshaped(call: ArrayCall, array: Array, given: Sequence[Expression]) -> Type:
    polys = [None if number(e) == -1 else call.size(e) for e in given]
    total = Poly.number(1)
    for poly in polys:
        total *= Poly.number(1) if poly is None else poly
    count, is_open = array.count, [number(e) == -1 for e in given]
    if is_open.count(True) == 1 and polys.count(None) == 1 and count is not None and total.terms:
        polys[is_open.index(True)] = count.exact_quotient(total)
    elif None not in polys and count is not None and None not in (count.value, total.value) and count != total:
        shape = ", ".join(map(str, polys))
        call.fail(f"{show(array.t)} has {count} numbers, the shape ({shape}) has {total}")
    return call.make([call.size_type(poly) for poly in polys], array.dtype)


def on_transpose(call: ArrayCall) -> Type:
    """`x.transpose()`, `np.transpose(x)`, with or without the order of the axes; `swapaxes`."""
    is_method = call.receiver is not None
    array = call.receiver or call.array(call.given.get("a"))
    if array is None:
        return call.default
    axes = call.positional if is_method else [e for name, e in call.given.items() if name != "a"]
    if len(axes) == 1 and isinstance(axes[0], TupleExpr):
        axes = list(axes[0].items)
    rank = len(array.sizes)
    numbers = [number(e) for e in axes]
    if None in numbers:
        return call.honest()
    order = [n + rank if n < 0 else n for n in numbers if n is not None] or list(reversed(range(rank)))
    if call.name == "swapaxes" and len(order) == 2:
        one, other = order
        order = [{one: other, other: one}.get(axis, axis) for axis in range(rank)]
    elif call.name == "moveaxis" and len(order) == 2:
        one, other = order
        order = [axis for axis in range(rank) if axis != one]
        order.insert(other, one)
    if sorted(order) != list(range(rank)):
        return call.honest()
    return call.make([array.sizes[axis] for axis in order], array.dtype)


def on_flat(call: ArrayCall) -> Type:
    """`x.ravel()`, `x.flatten()`."""
    array = call.receiver or call.array(call.given.get("a"))
    return call.default if array is None else call.make([call.size_type(array.count)], array.dtype)


def on_same_shape(call: ArrayCall) -> Type:
    """`np.sort(x)`, `np.flip(x)`, `x.copy()`, `-x`, `np.cumsum(x, axis=0)`: the shape of `x`."""
    array = call.receiver or call.array(call.given.get("a"))
    flat = call.name.startswith("cum") and "axis" not in call.given
    flat = flat or (call.name in ("triu", "tril") and array is not None and len(array.sizes) < 2)
    if array is None or flat or ("axis" in call.given and not call.has("axis")):
        return call.default if array is None else call.honest()
    dtype = call.own_dtype() if call.name == "argsort" or call.has("dtype") else array.dtype
    return into_out(call, call.make(array.sizes, dtype))


def on_iteration(call: ArrayCall) -> Type:
    """`for row in x`: one axis less."""
    t = get_proper_type(call.default)
    if call.receiver is None or not isinstance(t, Instance) or not t.args or len(call.receiver.sizes) < 2:
        return call.default
    return t.copy_modified(args=[call.make(call.receiver.sizes[1:], call.receiver.dtype)])
