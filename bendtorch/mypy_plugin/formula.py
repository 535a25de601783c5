"""Where a size comes from: ` (2*h*half = 2*4*16)` behind a shape that a call works out of several arguments.

A size is shown by its factors. For what a layer takes those are arguments and numbers; for what it gives, it is told
only where a division is among them, as of a window that slides over an image: nobody wrote the result of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from mypy.nodes import CallExpr, Expression, FuncDef, RefExpr
from mypy.plugin import CheckerPluginInterface
from mypy.types import CallableType, Instance, TupleType, Type, TypeVarType, UnboundType, get_proper_type

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.poly import Atom, Poly, in_parentheses, quotient_parts
from bendtorch.mypy_plugin.queries import is_layer, is_none, size_variable
from bendtorch.mypy_plugin.types import poly_of, same

INPUT: Final = 1
OUTPUT: Final = 2
ONE: Final = Poly.number(1)
Size = Callable[[Expression], Poly | None]


def formula_of(
    call: Expression | None, slot: int, gives: Type, takes: Type, api: CheckerPluginInterface, reader: SizeReader
) -> str:
    """The formula of the first size in which two layers do not meet, from the call of the one; empty if it has none.

    `slot` says whether the call's layer is the one that gives (`OUTPUT`) or takes (`INPUT`).
    """
    signature = _signature(call)
    if not isinstance(call, CallExpr) or signature is None:
        return ""
    result = get_proper_type(signature.ret_type)
    if not isinstance(result, Instance) or not is_layer(result):
        return ""
    written, given, taken = _sizes(result.args[slot]), _sizes(gives), _sizes(takes)
    for formula, one, other in zip(written, given, taken, strict=False):
        if not same(one, other):
            poly = poly_of(formula)
            is_told = poly is not None and (slot == INPUT or any(map(quotient_parts, poly.atoms)))
            return _in_names(poly, signature, call, lambda e: reader.size(e, api)) if poly and is_told else ""
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


def _in_names(poly: Poly, signature: CallableType, call: CallExpr, size: Size) -> str:
    """The factors by the names of the arguments, and by their values."""
    names, values = _parameters(signature, call, size)
    order = list(names)  # that of the arguments
    factors = sorted(
        factors_of(poly), key=lambda factor: min(map(order.index, factor.all_atoms & names.keys()), default=-1)
    )
    numbers = [with_values(factor, values) for factor in factors]
    if sum(factor.value is None for factor in factors) < 2 or None in numbers:
        return ""
    symbols = [in_parentheses(factor.show(names), "+-") for factor in factors]
    given = [in_parentheses(str(number), "+-/") for number in numbers]
    return f" ({'*'.join(symbols)} = {'*'.join(given)})"


def factors_of(poly: Poly) -> list[Poly]:
    """A product in its factors: a number, atoms, and floor quotients with 1 added."""
    found = []
    for atom in sorted(poly.atoms):
        for factor in (Poly.atom(atom), Poly.atom(atom) + ONE):
            while poly.value is None and (quotient := poly.exact_quotient(factor)) is not None:
                found.append(factor)
                poly = quotient
    return found if poly == ONE else [poly, *found]


def with_values(poly: Poly, values: Mapping[Atom, Poly]) -> Poly | None:
    """The polynomial with values in place of atoms, also inside of floor quotients; None where one is not known."""
    total = Poly(())
    for monomial, factor in poly.terms:
        term = Poly.number(factor)
        for atom in monomial:
            value = _value_of(atom, values)
            if value is None:
                return None
            term = term * value
        total = total + term
    return total


def _value_of(atom: Atom, values: Mapping[Atom, Poly]) -> Poly | None:
    parts = quotient_parts(atom)
    if parts is None:
        return values.get(atom)
    over, under = (with_values(part, values) for part in parts)
    return over // under if over is not None and under is not None and under.terms else None


def _parameters(signature: CallableType, call: CallExpr, size: Size) -> tuple[Mapping[Atom, str], Mapping[Atom, Poly]]:
    """The names and values of the size parameters, by the atoms of their variables."""
    names: dict[Atom, str] = {}
    values: dict[Atom, Poly] = {}
    left_out: list[TypeVarType] = []
    for index, t in enumerate(signature.arg_types):
        variable, name = size_variable(t), signature.arg_names[index]
        if variable is None:
            continue
        places = [i for i, given in enumerate(call.arg_names) if given == name or (given is None and i == index)]
        argument = call.args[places[0]] if places else None
        names[_atom(variable)] = name or variable.name
        if argument is None or is_none(argument):
            left_out.append(variable)
        elif (value := size(argument)) is not None:
            values[_atom(variable)] = value
    for variable in left_out:
        default = get_proper_type(variable.default)
        others = {atom.label: value for atom, value in values.items()}
        found = others.get(default.name) if isinstance(default, UnboundType) else poly_of(default)
        if found is not None:
            values[_atom(variable)] = found
    return names, values


def _atom(variable: TypeVarType) -> Atom:
    poly = poly_of(variable)
    assert poly is not None
    (atom,) = poly.atoms
    return atom
