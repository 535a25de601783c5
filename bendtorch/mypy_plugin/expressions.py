"""The size that an argument expression denotes: `64`, `4*d`, a `Final`, a name bound once, `config.width`, ..."""

from __future__ import annotations

from typing import cast

from mypy.checker import TypeChecker
from mypy.nodes import Expression, IntExpr, MemberExpr, NameExpr, OpExpr, UnaryExpr, Var
from mypy.plugin import CheckerPluginInterface
from mypy.types import Instance, Type, get_proper_type

from bendtorch.mypy_plugin.bindings import Bindings
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import is_int
from bendtorch.mypy_plugin.size_text import combine
from bendtorch.mypy_plugin.types import literal, named_in, poly_of

MAX_DEPTH = 50
"""How many names and operators are followed before a size counts as unknown."""


class SizeReader:
    """Reads sizes off expressions. Keeps the bindings of the file that was asked for last, and of no other."""

    def __init__(self) -> None:
        self.current: Bindings | None = None

    def size(self, expression: Expression, api: CheckerPluginInterface) -> Poly | None:
        """The size that an expression denotes, or None when it is not static."""
        return self._size(expression, api, 0)

    def _size(self, e: Expression, api: CheckerPluginInterface, depth: int) -> Poly | None:
        if depth > MAX_DEPTH:
            return None
        match e:
            case IntExpr():
                return Poly.number(e.value)
            case UnaryExpr(op="-"):
                operand = self._size(e.expr, api, depth + 1)
                return None if operand is None else -operand
            case OpExpr(op="+" | "-" | "*" | "//"):
                return self._operation(e, api, depth)
            case NameExpr(node=Var() as variable) | MemberExpr(node=Var() as variable):
                if variable.is_final and type(variable.final_value) is int:
                    return Poly.number(variable.final_value)
        t = api.get_expression_type(e)
        poly = poly_of(t)
        if poly is not None or not is_int(t):
            return poly
        if isinstance(e, NameExpr):
            return self._name(e, api, depth)
        return self._field(e, api) if isinstance(e, MemberExpr) else None

    def _operation(self, e: OpExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        left, right = self._size(e.left, api, depth + 1), self._size(e.right, api, depth + 1)
        if left is None or right is None or (e.op == "//" and not right.terms):
            return None
        return combine(e.op, left, right)

    def _name(self, e: NameExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        """A name bound once is what it is bound to; where that is no size, a run-time number that never changes."""
        if not isinstance(e.node, Var):
            return None
        bindings = self._bindings(e.node, api)
        if not bindings.is_bound_once(e.node):
            return None
        value = bindings.definitions.get(e.node)
        found = self._size(value, api, depth + 1) if value is not None else None
        return found if found is not None else _run_time(e.name, e.node, api)

    def _field(self, e: MemberExpr, api: CheckerPluginInterface) -> Poly | None:
        """A field of a frozen dataclass that a name bound once stands for never changes either."""
        if not isinstance(e.expr, NameExpr) or not isinstance(e.expr.node, Var):
            return None
        owner = e.expr.node
        if not _is_frozen(api.get_expression_type(e.expr)) or not self._bindings(owner, api).is_bound_once(owner):
            return None
        return _run_time(f"{owner.name}.{e.name}", owner, api)

    def _bindings(self, variable: Var, api: CheckerPluginInterface) -> Bindings:
        """The bindings of the file at hand.

        The daemon analyses a file's tree again in place, with new variables: one that is not known makes the bindings
        be read anew, once; if it is bound in no way that is understood, it stays unknown.
        """
        tree = cast("TypeChecker", api).tree
        old = self.current if self.current is not None and self.current.is_of(tree) else None
        if old is not None and old.has_seen(variable):
            return old
        self.current = Bindings(tree)
        self.current.foreign |= {variable} if old is None else {variable, *old.foreign}
        return self.current


def _is_frozen(t: Type) -> bool:
    t = get_proper_type(t)
    return isinstance(t, Instance) and bool((t.type.metadata.get("dataclass") or {}).get("frozen", False))


def _run_time(name: str, variable: Var, api: CheckerPluginInterface) -> Poly | None:
    """A number known only at run time: a size of its own, named after the variable and the line that binds it."""
    place = f"{cast('TypeChecker', api).tree.fullname}.{variable.line}"
    return poly_of(literal(f"{place}:{name}", named_in(api)))
