"""Numbers known only at run time that never change: each is a size of its own, under the name that the user gave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from mypy.checker import TypeChecker
from mypy.nodes import LambdaExpr, TypeInfo, Var
from mypy.plugin import CheckerPluginInterface
from mypy.types import Instance, LiteralType, TupleType, Type, get_proper_type

from bendtorch.mypy_plugin.poly import Atom, Poly
from bendtorch.mypy_plugin.types import OPERATORS, Through, literal, named_in, poly_of


def run_time(name: str, variable: Var, api: CheckerPluginInterface) -> Poly | None:
    """Such a number, named after the variable and the line that binds it."""
    place = f"{cast('TypeChecker', api).tree.fullname}.{variable.line}"
    return poly_of(literal(f"{place}:{name}", named_in(api)))


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
    atoms = [atom for poly in own if poly is not None for atom in poly.atoms]
    return t.accept(_Forget(atoms, named_in(api)("builtins.int", [])))


class _Forget(Through):
    """Puts `int` in place of every size that certain numbers have a part in."""

    def __init__(self, atoms: Sequence[Atom], instead: Type) -> None:
        super().__init__()
        self.atoms, self.instead = frozenset(atoms), instead

    def _has_part(self, t: Type) -> bool:
        poly = poly_of(t)
        return poly is not None and not self.atoms.isdisjoint(poly.all_atoms)

    def visit_literal_type(self, t: LiteralType) -> Type:
        """One of the numbers itself."""
        return self.instead if self._has_part(t) else t

    def visit_instance(self, t: Instance) -> Type:
        """A sum, a product or a quotient that has one in it."""
        return self.instead if t.type.fullname in OPERATORS and self._has_part(t) else super().visit_instance(t)
