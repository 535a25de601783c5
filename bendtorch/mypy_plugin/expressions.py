"""The size that an argument expression denotes: `64`, `4*d`, a `Final`, a name bound once, `config.width`, ..."""

from __future__ import annotations

from typing import cast

from mypy.checker import TypeChecker
from mypy.nodes import CallExpr, Context, Expression, FuncDef, IntExpr, MemberExpr, NameExpr, OpExpr, RefExpr, UnaryExpr, Var
from mypy.plugin import CheckerPluginInterface
from mypy.types import CallableType, Type, TypeVarType, get_proper_type

from bendtorch.mypy_plugin.bindings import Bindings
from bendtorch.mypy_plugin.fixed import first_size, is_constant, is_fixed_field, outside_of, run_time
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import has_sizes, is_int
from bendtorch.mypy_plugin.size_text import combine
from bendtorch.mypy_plugin.types import poly_of

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
            return poly if unchecked_variable(t, api) is None else None
        match e:
            case NameExpr() | MemberExpr() if is_constant(e) and not self._is_own(e, api):
                assert isinstance(e.node, Var)
                return run_time(e.name, e.node, api)
            case NameExpr():
                return self._name(e, api, depth)
            case MemberExpr():
                return self._field(e, api)
            case CallExpr(callee=NameExpr(fullname="builtins.len"), args=[counted]):
                return first_size(api.get_expression_type(counted))
        return None

    def _is_own(self, e: RefExpr, api: CheckerPluginInterface) -> bool:
        """Whether this file has the assignment, which may say what the number is."""
        return isinstance(e.node, Var) and self._bindings(e.node, api).knows(e.node)

    def _operation(self, e: OpExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        left, right = self._size(e.left, api, depth + 1), self._size(e.right, api, depth + 1)
        if left is None or right is None or (e.op == "//" and not right.terms):
            return None
        return combine(e.op, left, right)

    def _name(self, e: NameExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        """A name bound once is what it is bound to; where that is no size, a run-time number that never changes."""
        if not isinstance(e.node, Var):
            return None
        if self.fault_of(e, api) is not None:
            return None
        value = self._bindings(e.node, api).definitions.get(e.node)
        found = self._size(value, api, depth + 1) if value is not None else None
        return found if found is not None else run_time(e.name, e.node, api)

    def definition(self, e: NameExpr, api: CheckerPluginInterface) -> Expression | None:
        """What a name bound once is bound to."""
        if not isinstance(e.node, Var):
            return None
        bindings = self._bindings(e.node, api)
        return bindings.definitions.get(e.node) if bindings.is_bound_once(e.node) else None

    def _field(self, e: MemberExpr, api: CheckerPluginInterface) -> Poly | None:
        """A field that is set once, of what a name bound once stands for, never changes either."""
        path, owner = e.name, e.expr
        if not is_fixed_field(api.get_expression_type(owner), e.name):
            return None
        while isinstance(owner, MemberExpr):
            path = f"{owner.name}.{path}"
            if not is_fixed_field(api.get_expression_type(owner.expr), owner.name):
                return None
            owner = owner.expr
        if not isinstance(owner, NameExpr) or not isinstance(owner.node, Var):
            return None
        is_one = self.fault_of(owner, api) is None
        return run_time(f"{owner.node.name}.{path}", owner.node, api) if is_one else None

    def fault_of(self, e: NameExpr, api: CheckerPluginInterface) -> str | None:
        """Why a name is no size; None if it is one."""
        if not isinstance(e.node, Var):
            return None
        return self._bindings(e.node, api).fault_of(e, may_widen=_may_widen(api))

    def leaving(self, t: Type, e: Context, api: CheckerPluginInterface) -> Type:
        """The type of a call or a field, without the parameters of lambdas that end there.

        That is the lambda whose result it is, and those inside of it: `both(lambda n: [ReLU(n, 4)])` may call its
        argument with many an n.
        """
        ending = self.current.lambdas_ending_at(e) if self.current is not None else []
        return outside_of(ending, t, api) if ending else t

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


def unchecked_variable(t: Type, api: CheckerPluginInterface) -> TypeVarType | None:
    """The dimension variable that a type is, where calls of its function do not check that it is one size.

    `def larger(a: V, b: V) -> V` of a V bound to int may be called with 3 and 4: nothing in it speaks of sizes.
    """
    t = get_proper_type(t)
    if not isinstance(t, TypeVarType):
        return None
    for item in cast("TypeChecker", api).scope.stack:
        if isinstance(item, FuncDef) and item.fullname == t.id.namespace:
            signature = get_proper_type(item.type)
            return t if isinstance(signature, CallableType) and not has_sizes(signature) else None
    return None


def _may_widen(api: CheckerPluginInterface) -> bool:
    """Whether assignments may change the types of variables that have no declared one."""
    return any(getattr(api.options, name, False) for name in ("allow_redefinition", "allow_redefinition_new"))
