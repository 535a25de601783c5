"""The size that an argument expression denotes: `64`, `4*d`, a `Final`, a name bound once, `config.width`, ..."""

from __future__ import annotations

from typing import cast

from mypy.checker import TypeChecker
from mypy.nodes import (
    ArgKind,
    CallExpr,
    Context,
    Expression,
    FuncDef,
    IndexExpr,
    IntExpr,
    MemberExpr,
    NameExpr,
    OpExpr,
    RefExpr,
    StarExpr,
    TupleExpr,
    UnaryExpr,
    Var,
)
from mypy.plugin import CheckerPluginInterface
from mypy.types import AnyType, CallableType, Instance, Type, TypeVarType, get_proper_type

from bendtorch.mypy_plugin.bindings import Bindings
from bendtorch.mypy_plugin.fixed import axis_of, first_size, is_constant, is_fixed_field, outside_of, run_time
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import has_sizes, is_int, is_tuple_of_ints
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
            case OpExpr(op="+" | "-" | "*" | "//" | "%" | "**" | "<<" | ">>"):
                return self._operation(e, api, depth)
            case IndexExpr(base=base) if (place := _number(e.index)) is not None:
                return self._item_or_type(e, base, place, api, depth)
            case NameExpr(node=Var() as variable) | MemberExpr(node=Var() as variable):
                if variable.is_final and type(variable.final_value) is int:
                    return Poly.number(variable.final_value)
        t = api.get_expression_type(e)
        poly = poly_of(t)
        if poly is not None or not (is_int(t) or self._is_axis(e, t, api)):
            return poly if unchecked_variable(t, api) is None else None
        match e:
            case NameExpr() | MemberExpr() if is_constant(e) and not self._is_own(e, api):
                assert isinstance(e.node, Var)
                return run_time(e.name, e.node, api)
            case NameExpr():
                return self._name(e, api, depth)
            case MemberExpr():
                return self.field_of(e.expr, e.name, api)
            case CallExpr():
                return self._call(e, api, depth)
        return None

    def _call(self, e: CallExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        match e:
            case CallExpr(callee=NameExpr(fullname="builtins.len"), args=[counted]):
                return first_size(api.get_expression_type(counted))
            case CallExpr(callee=NameExpr(fullname="builtins.max" | "builtins.min")):
                return self._extreme(e, api, depth)
        return None

    def _extreme(self, e: CallExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        """The largest or the smallest of sizes that differ by numbers: `max(n, n + 1)` is `n + 1`."""
        found = [self._size(argument, api, depth + 1) for argument in e.args]
        sizes = [size for size in found if size is not None]
        if len(sizes) < max(len(found), 2) or any(kind is not ArgKind.ARG_POS for kind in e.arg_kinds):
            return None
        above = [(size - sizes[0]).value for size in sizes]
        numbers = [number for number in above if number is not None]
        if len(numbers) < len(above):
            return None
        assert isinstance(e.callee, NameExpr)
        return sizes[0] + Poly.number(max(numbers) if e.callee.name == "max" else min(numbers))

    def item(self, e: Expression, place: int, api: CheckerPluginInterface, depth: int = 0) -> Poly | None:
        """An item of a tuple that is spelt out or in a name bound once, or an axis of an array's shape."""
        match e:
            case TupleExpr() if not any(isinstance(item, StarExpr) for item in e.items):
                return self._size(e.items[place], api, depth + 1) if -len(e.items) <= place < len(e.items) else None
            case NameExpr(node=Var() as variable) if self.fault_of(e, api) is None:
                value = self._bindings(variable, api).definitions.get(variable)
                found = self.item(value, place, api, depth + 1) if isinstance(value, (TupleExpr, NameExpr)) else None
                is_tuple = found is None and is_tuple_of_ints(api.get_expression_type(e))
                return run_time(f"{e.name}[{place}]", variable, api) if is_tuple else found
            case MemberExpr(name="shape", expr=owner):
                return axis_of(cast("TypeChecker", api).lookup_type_or_none(owner), place)
        return None

    def _item_or_type(
        self, e: IndexExpr, base: Expression, place: int, api: CheckerPluginInterface, depth: int
    ) -> Poly | None:
        t = api.get_expression_type(e)
        if unchecked_variable(t, api) is not None:
            return None
        found = poly_of(t)
        return found if found is not None else self.item(base, place, api, depth)

    def _is_axis(self, e: Expression, t: Type, api: CheckerPluginInterface) -> bool:
        """Whether a name of any type is an axis of an array's shape: numpy says no more of `n, c = x.shape`."""
        if not isinstance(get_proper_type(t), AnyType) or not isinstance(e, NameExpr) or not isinstance(e.node, Var):
            return False
        bindings = self._bindings(e.node, api)
        value = bindings.definitions.get(e.node)
        base = value.base if isinstance(value, IndexExpr) else bindings.items.get(e.node, (None, 0))[0]
        if not isinstance(base, MemberExpr) or base.name != "shape":
            return False
        owner = get_proper_type(cast("TypeChecker", api).lookup_type_or_none(base.expr))
        return isinstance(owner, Instance) and owner.type.fullname == "numpy.ndarray"

    def _is_own(self, e: RefExpr, api: CheckerPluginInterface) -> bool:
        """Whether this file has the assignment, which may say what the number is."""
        return isinstance(e.node, Var) and self._bindings(e.node, api).knows(e.node)

    def _operation(self, e: OpExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        left, right = self._size(e.left, api, depth + 1), self._size(e.right, api, depth + 1)
        if left is None or right is None or (e.op in ("//", "%") and not right.terms):
            return None
        return combine(e.op, left, right)

    def _name(self, e: NameExpr, api: CheckerPluginInterface, depth: int) -> Poly | None:
        """A name bound once is what it is bound to; where that is no size, a run-time number that never changes."""
        if not isinstance(e.node, Var):
            return None
        if self.fault_of(e, api) is not None:
            return None
        bindings = self._bindings(e.node, api)
        value, item = bindings.definitions.get(e.node), bindings.items.get(e.node)
        found = self._size(value, api, depth + 1) if value is not None else None
        if value is None and item is not None:
            found = self.item(*item, api, depth + 1)
        return found if found is not None else run_time(e.name, e.node, api)

    def definition(self, e: NameExpr, api: CheckerPluginInterface) -> Expression | None:
        """What a name bound once is bound to."""
        if not isinstance(e.node, Var):
            return None
        bindings = self._bindings(e.node, api)
        return bindings.definitions.get(e.node) if bindings.is_bound_once(e.node) else None

    def field_of(self, owner: Expression, name: str, api: CheckerPluginInterface) -> Poly | None:
        """A field that is set once, of what a name bound once stands for, never changes either."""
        path = name
        while isinstance(owner, MemberExpr):
            if not is_fixed_field(api.get_expression_type(owner), name):
                return None
            name, owner = owner.name, owner.expr
            path = f"{name}.{path}"
        if not isinstance(owner, NameExpr) or not isinstance(owner.node, Var):
            return None
        is_one = is_fixed_field(api.get_expression_type(owner), name) and self.fault_of(owner, api) is None
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


def _number(e: Expression) -> int | None:
    match e:
        case IntExpr():
            return e.value
        case UnaryExpr(op="-", expr=IntExpr(value=value)):
            return -value
    return None


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
