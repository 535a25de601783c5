"""Numbers known only at run time that never change: each is a size of its own, under the name that the user gave it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, cast

from mypy.checker import TypeChecker
from mypy.nodes import (
    AssignmentStmt,
    CallExpr,
    Context,
    Expression,
    FuncDef,
    LambdaExpr,
    MemberExpr,
    MypyFile,
    NameExpr,
    OpExpr,
    RefExpr,
    TypeInfo,
    Var,
)
from mypy.plugin import CheckerPluginInterface
from mypy.types import CallableType, Instance, LiteralType, TupleType, Type, TypeType, get_proper_type

from bendtorch.mypy_plugin.poly import Atom, Poly
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import OPERATORS, Named, Through, literal, named_in, normalise, open_poly_of, poly_of

RUN_TIME: Final = re.compile(r"(?P<module>.*)\.(?P<place>\d+):.*")
ALWAYS: Final = 0
"""The place of a name of the module itself, which is bound once and for all; a function's are bound in each call."""

SETTLED: Final = (CallExpr, OpExpr, NameExpr, MemberExpr)
"""Expressions that have a type by themselves, unlike `[]` and `None`, whose type comes from what is done with them."""

COLUMN_DIGITS: Final = 4
"""A place is a line and a column, written as one number: the column fills its last digits."""


def run_time(name: str, variable: Var, api: CheckerPluginInterface) -> Poly | None:
    """Such a number, named after the variable and the line that binds it."""
    module, _, _ = variable.fullname.rpartition(".")
    is_local = not module or "@" in module  # the latter in a class inside of a function
    column = max(variable.column, 0)  # two lambdas of one line have a parameter each
    local = f"{cast('TypeChecker', api).tree.fullname}.{variable.line}{column:0{COLUMN_DIGITS}}"
    return poly_of(literal(f"{local if is_local else f'{module}.{ALWAYS}'}:{name}", named_in(api)))


def is_constant(e: RefExpr) -> bool:
    """Whether it is a `Final` of a module, this one or another: its number may be known only at run time."""
    if not isinstance(e.node, Var) or not e.node.is_final or "." not in e.node.fullname:
        return False
    return isinstance(e, NameExpr) or (isinstance(e, MemberExpr) and is_module(e.expr))


def is_module(e: Expression) -> bool:
    """Whether a module's name stands there."""
    return isinstance(e, RefExpr) and isinstance(e.node, MypyFile)


def is_fixed_field(t: Type, name: str) -> bool:
    """Whether a field of a type is set once: of a frozen dataclass, of a `NamedTuple`, or declared `Final`."""
    info = class_of(t)
    symbol = info.get(name) if info is not None else None
    if info is None or symbol is None or not isinstance(symbol.node, Var):  # a property may give another number
        return False
    owner = next(base for base in info.mro if name in base.names)  # a subclass may add what is not frozen
    return symbol.node.is_final or name in _frozen_fields(owner)


def _frozen_fields(info: TypeInfo) -> set[str]:
    """The fields of a class that cannot be assigned; class variables are none, they can be by the class's name."""
    if info.is_named_tuple and info.tuple_type is not None:
        fields: list[str] = (info.metadata.get("namedtuple") or {}).get("fields", [])
        return set(fields)
    dataclass = info.metadata.get("dataclass") or {}
    return {field["name"] for field in dataclass.get("attributes", ())} if is_frozen(info) else set()


def is_frozen(info: TypeInfo) -> bool:
    """Whether a class is a frozen dataclass."""
    return bool((info.metadata.get("dataclass") or {}).get("frozen", False))


def class_of(t: Type) -> TypeInfo | None:
    """The class of a value, or the class that a value is."""
    t = get_proper_type(t)
    if isinstance(t, TypeType):
        t = t.item
    if isinstance(t, CallableType) and t.is_type_obj():
        return t.type_object()
    if isinstance(t, TupleType):
        return t.partial_fallback.type
    return t.type if isinstance(t, Instance) else None


def first_size(t: Type) -> Poly | None:
    """The first size of an array, which is its `len`."""
    return axis_of(t, 0)


def axis_of(t: Type | None, axis: int) -> Poly | None:
    """A size of an array, where its type has it."""
    t = get_proper_type(t)
    if not isinstance(t, Instance) or t.type.fullname != "numpy.ndarray" or not t.args:
        return None
    shape = get_proper_type(t.args[0])
    if not isinstance(shape, TupleType) or not -len(shape.items) <= axis < len(shape.items):
        return None
    return poly_of(shape.items[axis])


def outside_of(makers: Iterable[LambdaExpr], t: Type, api: CheckerPluginInterface) -> Type:
    """The type of what lambdas give, as seen outside of them: their own parameters are any `int`."""
    own = [run_time(a.variable.name, a.variable, api) for maker in makers for a in maker.arguments]
    keys = {atom.key for poly in own if poly is not None for atom in poly.atoms}

    def is_of_one(atom: Atom) -> bool:
        """A parameter itself, a field of it or an item."""
        return atom.kind == "run-time" and any(
            atom.key == key or atom.key.startswith((f"{key}.", f"{key}[")) for key in keys
        )

    return t.accept(_Forget(is_of_one, named_in(api), exact=True))


def outside_of_calls(t: Type, owner: Type, field: str, e: Context, api: CheckerPluginInterface) -> Type:
    """The type of a field of some object: where the class takes it from a call of a method, a number is any `int` here.

    `self.act = ReLU(3, k)` in a method means another k for each object and each call. What comes with the owner's own
    type stays. In the constructor, what it has just set is known.
    """
    info = class_of(owner)
    symbol = info.get(field) if info is not None else None
    declared = symbol.node.type if symbol is not None and isinstance(symbol.node, Var) else None
    if declared is None or is_set_in_constructor(e, api):
        return t
    atoms = {atom for atom in run_time_atoms(declared) if not _is_always(atom)}
    return t.accept(_Forget(atoms.__contains__, named_in(api), exact=False)) if atoms else t


def is_set_in_constructor(e: Context, api: CheckerPluginInterface) -> bool:
    """Whether `self.field` is read in `__init__` after a statement of its body has set it."""
    function = cast("TypeChecker", api).scope.current_function()
    if not isinstance(e, MemberExpr) or not isinstance(e.expr, NameExpr) or not isinstance(function, FuncDef):
        return False
    if function.name != "__init__" or not function.arguments or e.expr.node is not function.arguments[0].variable:
        return False
    return any(
        isinstance(target, MemberExpr) and target.name == e.name and _is_name_of(target.expr, e.expr)
        for statement in function.body.body
        if isinstance(statement, AssignmentStmt) and statement.line < e.line and isinstance(statement.rvalue, SETTLED)
        for target in statement.lvalues
    )


def _is_name_of(e: Expression, name: NameExpr) -> bool:
    return isinstance(e, NameExpr) and e.node is name.node


def _is_always(atom: Atom) -> bool:
    place = RUN_TIME.fullmatch(atom.key) if atom.kind == "run-time" else None
    return place is None or int(place["place"]) == ALWAYS


def of_one_name(one: Type, other: Type) -> str:
    """What tells apart two types that differ and look the same: sizes of one name."""
    if show(one) != show(other):
        return ""
    first, second = ({atom.label: atom for atom in run_time_atoms(t)} for t in (one, other))
    for label in sorted(first.keys() & second.keys()):
        places = [_line_of(atoms[label]) for atoms in (first, second)]
        if first[label] != second[label] and ALWAYS not in places and places[0] != places[1]:
            return f'; "{label}" of line {places[0]} is not "{label}" of line {places[1]}'
    return "; these are two sizes of one name"


def _line_of(atom: Atom) -> int:
    place = RUN_TIME.fullmatch(atom.key)
    return int(place["place"]) // 10**COLUMN_DIGITS if place is not None else ALWAYS


class _Atoms(Through):
    """Collects the numbers known only at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[Atom] = set()

    def visit_literal_type(self, t: LiteralType) -> Type:
        """One of them."""
        poly = poly_of(t)
        self.found |= set() if poly is None else poly.atoms
        return t


def run_time_atoms(t: Type) -> set[Atom]:
    """The numbers known only at run time that occur in a type."""
    search = _Atoms()
    t.accept(search)
    return search.found


class _Forget(Through):
    """Puts `int` in place of certain numbers; of a size that they have a part in when `exact`, else of all of it."""

    def __init__(self, is_forgotten: Callable[[Atom], bool], named: Named, *, exact: bool) -> None:
        super().__init__()
        self.is_forgotten, self.named, self.exact = is_forgotten, named, exact

    def _has_part(self, t: Type) -> bool:
        poly = open_poly_of(t)
        return poly is not None and any(map(self.is_forgotten, poly.all_atoms))

    def visit_literal_type(self, t: LiteralType) -> Type:
        """One of the numbers itself."""
        return self.named("builtins.int", []) if self._has_part(t) else t

    def visit_instance(self, t: Instance) -> Type:
        """A sum, a product or a quotient that has one in it."""
        if t.type.fullname not in OPERATORS or not self._has_part(t):
            return super().visit_instance(t)
        return normalise(super().visit_instance(t), self.named) if self.exact else self.named("builtins.int", [])
