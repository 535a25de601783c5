"""Layers that give no gradient of their input, such as `LinearFirst`, behind layers with parameters to train.

No type says it; the expression does, where the layer is made in it or has a name bound once. What types and
expressions do not show is refused when the model is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.nodes import CallExpr, Expression, NameExpr, OpExpr, RefExpr, Var
from mypy.plugin import CheckerPluginInterface, FunctionContext
from mypy.types import Instance, TupleType, Type, get_proper_type

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.picture import layer_of, name_of
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.vocabulary import BEND_SHAPE, COMBINE

BLIND: Final = frozenset({"bendtorch.layers.linear_first.LinearFirst"})
REPEAT: Final = "bendtorch.combine.repeat.Repeat"
IN_A_ROW: Final = {"bendtorch.combine.seq.Seq": "Seq", "bendtorch.combine.tie.Tie": "Tie"}
MAX_DEPTH: Final = 50


class BlindLayers:
    """Finds them; `reader` says what a name stands for."""

    def __init__(self, reader: SizeReader) -> None:
        self.reader = reader

    def check_call(self, context: FunctionContext) -> None:
        """A call of a combinator: of layers in a row, or of one that is repeated."""
        e = context.context
        name = _callee(e)
        if not isinstance(e, CallExpr) or any(kind.is_star() for kind in e.arg_kinds):
            return
        if name in IN_A_ROW:
            self.check_row(IN_A_ROW[name], e.args, context.api)
        elif name == REPEAT and len(e.args) == 2:
            self._check_repeat(e.args, e.arg_names, context.api)

    def check_row(self, written: str, row: Sequence[Expression], api: CheckerPluginInterface) -> None:
        """Report the first that stands behind parameters."""
        for place, e in enumerate(row[1:], 1):
            blind = self._find(e, api, 0)
            before = reversed(row[:place]) if blind else ()
            trained = next((name for earlier in before if (name := _last_trained(earlier, api))), "")
            if trained:
                self._report(written, blind, f"{trained} before it", e, api)
                return

    def _check_repeat(
        self, args: Sequence[Expression], names: Sequence[str | None], api: CheckerPluginInterface
    ) -> None:
        count, f = reversed(args) if names[0] == "f" else args
        blind, layer, times = self._find(f, api, 0), layer_of(f, api), self.reader.size(count, api)
        if blind and layer is not None and has_parameters(layer.args[0]) and times not in (None, Poly.number(1)):
            self._report("Repeat", blind, "the copy before it", f, api)

    def _report(self, written: str, blind: str, trained: str, at: Expression, api: CheckerPluginInterface) -> None:
        message = f"{blind} gives no gradient of its input, which {trained} needs to train"
        hint = "; use Linear there" if blind == "LinearFirst" else ""
        api.fail(f"{written}: {message}{hint}", at, code=BEND_SHAPE)

    def _find(self, e: Expression | None, api: CheckerPluginInterface, depth: int) -> str:
        """The name of such a layer in an expression; empty if there is none that can be seen."""
        if depth > MAX_DEPTH:
            return ""
        match e:
            case OpExpr(op=">>"):
                return self._find(e.left, api, depth + 1) or self._find(e.right, api, depth + 1)
            case NameExpr(node=Var()):
                return self._find(self.reader.definition(e, api), api, depth + 1)
            case CallExpr():
                name = _callee(e)
                if name in BLIND:
                    return name.rsplit(".", 1)[-1]
                parts = e.args if name.startswith(COMBINE) else ()
                return next((found for part in parts if (found := self._find(part, api, depth + 1))), "")
        return ""


def _callee(e: object) -> str:
    return e.callee.fullname if isinstance(e, CallExpr) and isinstance(e.callee, RefExpr) else ""


def _last_trained(e: Expression, api: CheckerPluginInterface) -> str:
    """What the user calls the last layer with parameters in a row."""
    if isinstance(e, OpExpr) and e.op == ">>":
        return _last_trained(e.right, api) or _last_trained(e.left, api)
    layer = layer_of(e, api)
    return (name_of(e) or "a layer") if layer is not None and has_parameters(layer.args[0]) else ""


def has_parameters(t: Type) -> bool:
    """Whether the type of a layer's parameters shows that there are some: a nest of empty tuples has none."""
    t = get_proper_type(t)
    if isinstance(t, TupleType):
        return any(map(has_parameters, t.items))
    if isinstance(t, Instance) and t.type.fullname == "builtins.tuple":
        return any(map(has_parameters, t.args))
    return isinstance(t, Instance)
