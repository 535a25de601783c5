"""A chain of layers with the sizes on its wires, its broken seams marked.

Mat[64, 784] --Linear--> Mat[64, 128] =/= Mat[64, 130] --ReLU--> Mat[64, 130]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

from mypy.checker import TypeChecker
from mypy.nodes import CallExpr, Context, Expression, MemberExpr, NameExpr, OpExpr
from mypy.plugin import CheckerPluginInterface
from mypy.types import Instance, Type, get_proper_type

from bendtorch.mypy_plugin.queries import is_layer
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import same
from bendtorch.mypy_plugin.vocabulary import BEND_CHAIN

BROKEN: Final = "=/="

Wires = tuple[str, Type, Type]
"""A layer's name, what it takes and what it gives."""


def note_chain(chain: Sequence[Expression], at: Context, api: CheckerPluginInterface) -> None:
    """Add a note with the picture of a chain to the error that has just been reported."""
    layers = [layer for e in chain for layer in _layers_in(e, api)]
    if len(layers) > 1:
        cast("TypeChecker", api).note(draw(layers), at, code=BEND_CHAIN)


def name_of(e: Expression | None) -> str:
    """What the user calls a layer: the name of the function that makes it, or of the variable that holds it."""
    match e:
        case CallExpr(callee=CallExpr(callee=NameExpr(fullname="functools.partial"), args=[made, *_])):
            return name_of(made)
        case CallExpr(callee=NameExpr() | MemberExpr() | CallExpr()):
            return name_of(e.callee)
        case NameExpr() | MemberExpr():
            return e.name
    return ""


def _layers_in(e: Expression, api: CheckerPluginInterface) -> Iterator[Wires]:
    """The layers that an expression chains, from left to right."""
    if isinstance(e, OpExpr) and e.op == ">>":
        yield from _layers_in(e.left, api)
        yield from _layers_in(e.right, api)
        return
    if isinstance(e, CallExpr) and name_of(e) == "Seq" and not any(kind.is_star() for kind in e.arg_kinds):
        for argument in e.args:
            yield from _layers_in(argument, api)
        return
    layer = layer_of(e, api)
    if layer is not None:
        yield name_of(e) or "layer", layer.args[1], layer.args[2]


def layer_of(e: Expression, api: CheckerPluginInterface) -> Instance | None:
    """The type of an expression that is a layer; it is not checked again if it has been."""
    known = cast("TypeChecker", api).lookup_type_or_none(e)
    layer = get_proper_type(known if known is not None else api.get_expression_type(e))
    return layer if isinstance(layer, Instance) and is_layer(layer) else None


def draw(layers: Sequence[Wires]) -> str:
    """The picture."""
    text, before = show(layers[0][1]), layers[0][1]
    for name, takes, gives in layers:
        seam = "" if same(before, takes) else f" {BROKEN} {show(takes)}"
        text += f"{seam} --{name}--> {show(gives)}"
        before = gives
    return text
