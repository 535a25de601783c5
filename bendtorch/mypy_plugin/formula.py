"""Where a size comes from: ` (2*h*half = 2*4*16)` behind a shape that a call works out of several arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mypy.nodes import CallExpr, Expression, FuncDef, RefExpr
from mypy.plugin import CheckerPluginInterface
from mypy.types import CallableType, Instance, TupleType, Type, get_proper_type

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.poly import Atom, Poly, in_parentheses
from bendtorch.mypy_plugin.queries import is_layer
from bendtorch.mypy_plugin.types import poly_of, same

INPUT: Final = 1
Size = Callable[[Expression], Poly | None]


def formula_of(
    call: Expression | None, gives: Type, takes: Type, api: CheckerPluginInterface, reader: SizeReader
) -> str:
    """The formula of the first size in which a layer's input differs from what it is given; empty if it has none."""
    signature = _signature(call)
    if not isinstance(call, CallExpr) or signature is None:
        return ""
    result = get_proper_type(signature.ret_type)
    if not isinstance(result, Instance) or not is_layer(result):
        return ""
    written, given, taken = _sizes(result.args[INPUT]), _sizes(gives), _sizes(takes)
    for formula, one, other in zip(written, given, taken, strict=False):
        if not same(one, other):
            return _in_names(formula, signature, call, lambda e: reader.size(e, api))
    return ""


def _signature(call: Expression | None) -> CallableType | None:
    if not isinstance(call, CallExpr) or not isinstance(call.callee, RefExpr):
        return None
    node = call.callee.node
    t = get_proper_type(node.type) if isinstance(node, FuncDef) else None
    return t if isinstance(t, CallableType) else None


def _sizes(t: Type) -> list[Type]:
    """The sizes of an array."""
    t = get_proper_type(t)
    shape = get_proper_type(t.args[0]) if isinstance(t, Instance) and t.args else None
    return list(shape.items) if isinstance(shape, TupleType) else []


def _in_names(formula: Type, signature: CallableType, call: CallExpr, size: Size) -> str:
    poly = poly_of(formula)
    if poly is None or len(poly.terms) != 1 or len(poly.terms[0][0]) < 2:
        return ""
    names, values = _parameters(signature, call, size)
    monomial, factor = poly.terms[0]
    if not all(atom in values for atom in monomial):
        return ""
    numbers = [str(factor)] if factor != 1 else []
    symbols = numbers + [names[atom] for atom in monomial]
    given = numbers + [in_parentheses(str(values[atom]), "+-/") for atom in monomial]
    return f" ({'*'.join(symbols)} = {'*'.join(given)})"


def _parameters(signature: CallableType, call: CallExpr, size: Size) -> tuple[Mapping[Atom, str], Mapping[Atom, Poly]]:
    """The names and values of the size parameters, by the atoms of their variables."""
    names: dict[Atom, str] = {}
    values: dict[Atom, Poly] = {}
    for position, argument in enumerate(call.args):
        name = call.arg_names[position]
        index = signature.arg_names.index(name) if name in signature.arg_names else position
        variable = poly_of(signature.arg_types[index]) if index < len(signature.arg_types) else None
        value = size(argument)
        if variable is not None and value is not None and len(variable.atoms) == 1:
            (atom,) = variable.atoms
            names[atom], values[atom] = signature.arg_names[index] or atom.label, value
    return names, values
