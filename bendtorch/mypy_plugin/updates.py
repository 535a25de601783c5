"""Arrays changed in place: `a += b`, `a[1:3] = b`. numpy's own types let everything pass."""

from __future__ import annotations

from mypy.nodes import IndexExpr
from mypy.plugin import AttributeContext, MethodContext
from mypy.types import Type

from bendtorch.mypy_plugin.array_types import ArrayCall, array_of
from bendtorch.mypy_plugin.fitting import ONE, can_hold
from bendtorch.mypy_plugin.indexing import index_parts, indexed
from bendtorch.mypy_plugin.remedies import turning
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.vocabulary import BEND_SHAPE


def on_update(call: ArrayCall) -> Type:
    """`a += b`: what is added must fit into a's shape."""
    own = call.context.type if isinstance(call.context, MethodContext) else None
    if own is not None and call.operand is not None:
        _check_fits(call, own, call.operand)
        return own
    return call.default


def on_assignment(call: ArrayCall) -> Type:
    """`a[...] = b`, `a[1:3] = b`, `a[:, 0] = b`: what is assigned must fit into the part."""
    given, types, node = call.context.args, call.context.arg_types, call.context.context
    if call.receiver is None or len(given) != 2 or not given[0] or not types[1]:
        return call.default
    index = node.index if isinstance(node, IndexExpr) else given[0][0]
    sizes = indexed(call, call.receiver, index_parts(index))
    if sizes is None:
        return call.default
    if sizes:
        _check_fits(call, call.make(sizes, call.receiver.dtype), types[1][0])
    elif (value := array_of(types[1][0])) is not None and any(poly not in (None, ONE) for poly in value.polys):
        call.api.fail(f"one number of an array cannot hold {show(value.t)}", node, code=BEND_SHAPE)
    return call.default


def _check_fits(call: ArrayCall, own: Type, given: Type) -> None:
    left, right = array_of(own), array_of(given)
    if left is not None and right is not None and left.is_static and not can_hold(left, right, call):
        why = turning(show(own), show(given)) or ": what is put into an array must have its shape"
        message = f"{show(own)} cannot hold {show(given)}{why}"
        call.api.fail(message, call.context.context, code=BEND_SHAPE)


def on_copy(call: ArrayCall) -> Type:
    """`np.copyto(a, b)`."""
    own, given = call.type_of(call.given.get("dst")), call.type_of(call.given.get("src"))
    if own is not None and given is not None:
        _check_fits(call, own, given)
    return call.default


def on_shape(context: AttributeContext) -> Type:
    """`a.shape = (4, 3)` changes an array under its type."""
    array = array_of(context.type)
    if context.is_lvalue and array is not None and array.is_static:
        message = f"assigning .shape changes the array, but not its type {show(array.t)}; use .reshape(...)"
        context.api.fail(message, context.context, code=BEND_SHAPE)
    return context.default_attr_type


def on_resize(call: ArrayCall) -> Type:
    """`a.resize((4, 3))` does too."""
    if call.receiver is not None and call.receiver.is_static:
        message = f".resize changes the array, but not its type {show(call.receiver.t)}; use np.resize(...)"
        call.api.fail(message, call.context.context, code=BEND_SHAPE)
    return call.default
