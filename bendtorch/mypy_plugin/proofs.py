"""`proof: Eq["N*I", "M*O"] = PROVE`: an equation between sizes that each call must satisfy, decided here."""

from __future__ import annotations

from mypy.nodes import FuncDef
from mypy.plugin import CheckerPluginInterface
from mypy.types import CallableType, Instance, Type, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.types import poly_of
from bendtorch.mypy_plugin.vocabulary import BEND_PROOF, EQUATION


def prove(call: Call) -> None:
    """Report each equation that is left to the checker and does not hold for the sizes of this call."""
    for index, t in enumerate(call.signature.arg_types):
        equation = _equation(t)
        if equation is None or call.argument(index) is not None:
            continue
        left, right = (poly_of(call.fill_in(side)) for side in equation.args)
        if left is None or right is None or left == right:  # None: reported already, or Any
            continue
        if not _is_assumed(left, right, call.api):
            sides = [_side(call, *pair) for pair in zip(equation.args, (left, right), strict=True)]
            call.fail(f"{sides[0]} but {sides[1]}", None, BEND_PROOF)


def _equation(t: Type) -> Instance | None:
    t = get_proper_type(t)
    return t if isinstance(t, Instance) and t.type.fullname == EQUATION and len(t.args) == 2 else None


def _side(call: Call, written: Type, result: Poly) -> str:
    """`i*n = 4*6 = 24`: a side in the parameters' names, with their values, and what it comes to."""
    formula = poly_of(written) or result
    middle = ""
    monomial, factor = formula.terms[0] if formula.terms else ((), 1)
    numbers = [call.values[atom].value for atom in monomial if atom in call.values]
    if len(formula.terms) == 1 and len(monomial) > 1 and numbers.count(None) == 0 and len(numbers) == len(monomial):
        middle = "*".join(([str(factor)] if factor != 1 else []) + [str(number) for number in numbers])
    steps = [formula.show(call.names), middle, str(result)]
    distinct = [step for number, step in enumerate(steps) if step and step not in steps[:number]]
    return " = ".join(distinct)


def _is_assumed(left: Poly, right: Poly, api: CheckerPluginInterface) -> bool:
    """Whether the equation is one that the enclosing function has been handed a proof of."""
    scope = getattr(api, "scope", None)
    function = scope.current_function() if scope is not None else None
    signature = get_proper_type(function.type) if isinstance(function, FuncDef) else None
    if not isinstance(signature, CallableType):
        return False
    for t in signature.arg_types:
        equation = _equation(t)
        if equation is not None:
            sides = (poly_of(equation.args[0]), poly_of(equation.args[1]))
            if sides in ((left, right), (right, left)):
                return True
    return False
