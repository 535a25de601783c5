"""Numbers known only at run time that never change: each is a size of its own, under the name that the user gave it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, cast

from mypy.checker import TypeChecker
from mypy.nodes import Expression, FuncItem, LambdaExpr, MemberExpr, MypyFile, NameExpr, RefExpr, TypeInfo, Var
from mypy.plugin import CheckerPluginInterface
from mypy.types import Instance, LiteralType, TupleType, Type, get_proper_type

from bendtorch.mypy_plugin.poly import Atom, Poly
from bendtorch.mypy_plugin.types import OPERATORS, Named, Through, literal, named_in, normalise, poly_of

RUN_TIME: Final = re.compile(r"(?P<module>.*)\.(?P<line>\d+):.*")
ALWAYS: Final = 0
"""The line of a name of the module itself, which is bound once and for all; a function's are bound in each call."""


def run_time(name: str, variable: Var, api: CheckerPluginInterface) -> Poly | None:
    """Such a number, named after the variable and the line that binds it."""
    module, _, _ = variable.fullname.rpartition(".")
    is_local = not module or "@" in module  # the latter in a class inside of a function
    place = f"{module}.{ALWAYS}" if not is_local else f"{cast('TypeChecker', api).tree.fullname}.{variable.line}"
    return poly_of(literal(f"{place}:{name}", named_in(api)))


def is_constant(e: RefExpr) -> bool:
    """Whether it is a `Final` of a module, this one or another: its number may be known only at run time."""
    if not isinstance(e.node, Var) or not e.node.is_final or "." not in e.node.fullname:
        return False
    return isinstance(e, NameExpr) or (isinstance(e, MemberExpr) and is_module(e.expr))


def is_module(e: Expression) -> bool:
    """Whether a module's name stands there."""
    return isinstance(e, RefExpr) and isinstance(e.node, MypyFile)


def is_fixed_field(t: Type, name: str) -> bool:
    """Whether a field of a type is set once: in a frozen dataclass, in a `NamedTuple`, or declared `Final`."""
    t = get_proper_type(t)
    info = t.partial_fallback.type if isinstance(t, TupleType) else t.type if isinstance(t, Instance) else None
    symbol = info.get(name) if isinstance(info, TypeInfo) else None
    if info is None or symbol is None or not isinstance(symbol.node, Var):  # a property may give another number
        return False
    return symbol.node.is_final or any(base.is_named_tuple or _is_frozen(base) for base in info.mro)


def _is_frozen(info: TypeInfo) -> bool:
    return bool((info.metadata.get("dataclass") or {}).get("frozen", False))


def first_size(t: Type) -> Poly | None:
    """The first size of an array, which is its `len`."""
    t = get_proper_type(t)
    if not isinstance(t, Instance) or t.type.fullname != "numpy.ndarray" or not t.args:
        return None
    shape = get_proper_type(t.args[0])
    return poly_of(shape.items[0]) if isinstance(shape, TupleType) and shape.items else None


def outside_of(maker: LambdaExpr, t: Type, api: CheckerPluginInterface) -> Type:
    """The type of what a lambda gives, as seen outside of it: the lambda's own parameters are any `int`."""
    own = [run_time(argument.variable.name, argument.variable, api) for argument in maker.arguments]
    atoms = {atom for poly in own if poly is not None for atom in poly.atoms}
    return t.accept(_Forget(atoms.__contains__, named_in(api), exact=True))


def outside_of_calls(t: Type, api: CheckerPluginInterface) -> Type:
    """The type of a field: a number that belongs to one call of another function is any `int` here.

    `self.act = ReLU(3, k)` in a method means another k for each object.
    """
    checker = cast("TypeChecker", api)
    functions = [scope for scope in checker.scope.stack if isinstance(scope, FuncItem)]

    def is_of_a_call(atom: Atom) -> bool:
        place = RUN_TIME.fullmatch(atom.key) if atom.kind == "run-time" else None
        if place is None or int(place["line"]) == ALWAYS:
            return False
        line = int(place["line"])
        here = place["module"] == checker.tree.fullname
        return not (here and any(f.line <= line <= (f.end_line or f.line) for f in functions))

    return t.accept(_Forget(is_of_a_call, named_in(api), exact=False))


class _Forget(Through):
    """Puts `int` in place of certain numbers; of a size that they have a part in when `exact`, else of all of it."""

    def __init__(self, is_forgotten: Callable[[Atom], bool], named: Named, *, exact: bool) -> None:
        super().__init__()
        self.is_forgotten, self.named, self.exact = is_forgotten, named, exact

    def _has_part(self, t: Type) -> bool:
        poly = poly_of(t)
        return poly is not None and any(map(self.is_forgotten, poly.all_atoms))

    def visit_literal_type(self, t: LiteralType) -> Type:
        """One of the numbers itself."""
        return self.named("builtins.int", []) if self._has_part(t) else t

    def visit_instance(self, t: Instance) -> Type:
        """A sum, a product or a quotient that has one in it."""
        if t.type.fullname not in OPERATORS or not self._has_part(t):
            return super().visit_instance(t)
        return normalise(super().visit_instance(t), self.named) if self.exact else self.named("builtins.int", [])
