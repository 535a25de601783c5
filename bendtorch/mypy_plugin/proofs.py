"""`proof: Eq["N*I", "M*O"] = PROVE`: an equation between sizes that each call must satisfy, decided here.

A proof is one that the caller was handed itself. Whatever else is given for it leaves the equation to be decided, as
leaving it out does; and a function with an equation is not handed on as one without.
"""

from __future__ import annotations

from mypy.checker import TypeChecker
from mypy.nodes import CallExpr, Expression, FuncDef, NameExpr, RefExpr, Var
from mypy.plugin import CheckerPluginInterface, FunctionContext
from mypy.types import AnyType, CallableType, Instance, Type, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.poly import Atom, Names, Poly, quotient_parts
from bendtorch.mypy_plugin.queries import size_variable
from bendtorch.mypy_plugin.types import poly_of
from bendtorch.mypy_plugin.vocabulary import BEND_PROOF, DIMS, EQUATION, PROVE


def prove(call: Call, reader: SizeReader) -> None:
    """Report each equation that is left to the checker and does not hold for the sizes of this call."""
    for index, t in enumerate(call.signature.arg_types):
        equation = _equation(t)
        if equation is None or _is_proof(call.argument(index), reader, call.api):
            continue
        left, right = (poly_of(call.fill_in(side)) for side in equation.args)
        if left is None or right is None or left == right:  # None: reported already, or Any
            continue
        if not _is_assumed(left, right, call.api):
            call.fail(_message(call, _as_written(call, index, equation), left, right), None, BEND_PROOF)


def has_equation(t: Type) -> bool:
    """Whether it is a type of functions that have an equation to be decided."""
    t = get_proper_type(t)
    return isinstance(t, CallableType) and any(_equation(part) is not None for part in t.arg_types)


def check_hidden(call: Call, reader: SizeReader) -> None:
    """`f: Callable[[int], Any] = Halve`: a call of it by that name would decide nothing."""
    e = call.context.callee if isinstance(call.context, CallExpr) else None
    if not isinstance(e, NameExpr) or not isinstance(e.node, Var) or has_equation(call.signature):
        return
    meant = reader.definition(e, call.api)
    function = meant.node if isinstance(meant, RefExpr) else None
    if isinstance(function, FuncDef) and function.type is not None and has_equation(function.type):
        message = f'the type of "{e.name}" hides the equation of {function.name}; call {function.name} itself'
        call.api.fail(f"{e.name}: {message}", call.context, code=BEND_PROOF)


def check_handed_on(context: FunctionContext) -> None:
    """`map(Reshape, ...)`: the calls are made where nothing is known of the sizes."""
    for types in context.arg_types[:1]:
        for t in map(get_proper_type, types):
            if isinstance(t, CallableType) and has_equation(t):
                name = t.name or "a function"
                message = f"{name} has an equation, which is decided where {name} is called; call it in a loop"
                context.api.fail(f"map: {message}", context.context, code=BEND_PROOF)


def check_made(context: FunctionContext) -> None:
    """`Eq()` would prove whatever is wanted."""
    if isinstance(context.api, TypeChecker) and context.api.tree.fullname != DIMS:
        context.api.fail("Eq: a proof is not made; leave it out, or give PROVE", context.context, code=BEND_PROOF)


def _is_proof(argument: Expression | None, reader: SizeReader, api: CheckerPluginInterface) -> bool:
    """Whether a call gives a proof: not nothing, not `PROVE`, not by another name, and nothing of any type."""
    if isinstance(argument, NameExpr):
        argument = reader.definition(argument, api) or argument
    if argument is None or (isinstance(argument, RefExpr) and argument.fullname == PROVE):
        return False
    return not isinstance(get_proper_type(api.get_expression_type(argument)), AnyType)


def _as_written(call: Call, index: int, equation: Instance) -> Instance:
    """The equation as the function declares it: a partial application has put sizes into the call's own."""
    definition = call.signature.definition
    declared = get_proper_type(definition.type) if isinstance(definition, FuncDef) else None
    name = call.signature.arg_names[index]
    if not isinstance(declared, CallableType) or name not in declared.arg_names:
        return equation
    return _equation(declared.arg_types[declared.arg_names.index(name)]) or equation


def _names(call: Call) -> Names:
    """The parameters' names by their sizes, those that a partial application has bound too."""
    definition = call.signature.definition
    declared = get_proper_type(definition.type) if isinstance(definition, FuncDef) else None
    names: dict[Atom, str] = {}
    if isinstance(declared, CallableType):
        for t, name in zip(declared.arg_types, declared.arg_names, strict=True):
            variable = size_variable(t)
            poly = poly_of(variable) if variable is not None else None
            names |= dict.fromkeys(poly.atoms if poly is not None else (), name or "")
    return {**names, **call.names}


def _message(call: Call, written: Instance, left: Poly, right: Poly) -> str:
    formulas, names = [poly_of(side) for side in written.args], _names(call)
    if formulas[0] is not None and formulas[1] is not None:
        for formula, size, whole in ((formulas[0], right, formulas[1]), (formulas[1], left, formulas[0])):
            divisor = _rounded_down(formula, whole)
            if divisor is not None:
                return _not_a_multiple(call, whole, size, divisor, names)
    sides = [_side(call, *pair, names) for pair in zip(written.args, (left, right), strict=True)]
    return f"{sides[0]} but {sides[1]}"


def _rounded_down(formula: Poly, whole: Poly) -> Poly | None:
    """`t` where the formula is `(whole//t)*t`, which is `whole` for multiples of t only."""
    for atom in formula.atoms:
        parts = quotient_parts(atom)
        if parts is not None and parts[0] == whole and formula == Poly.atom(atom) * parts[1]:
            return parts[1]
    return None


def _not_a_multiple(call: Call, whole: Poly, size: Poly, divisor: Poly, names: Names) -> str:
    """`n = 8 is not a multiple of t = 3`; where sizes are not numbers, it is only not known to be one."""
    by = divisor
    if len(divisor.atoms) == 1 and divisor == Poly.atom(*divisor.atoms):
        by = call.values.get(*divisor.atoms, divisor)  # type: ignore[call-overload]
    first, second = _equal(whole.show(names), str(size)), _equal(divisor.show(names), str(by))
    if size.value is not None and by.value is not None:
        return f"{first} is not a multiple of {second}"
    return f"{first} is not known to be a multiple of {second}; write it as a product"


def _equal(*steps: str) -> str:
    return " = ".join(dict.fromkeys(step for step in steps if step))


def _equation(t: Type) -> Instance | None:
    t = get_proper_type(t)
    return t if isinstance(t, Instance) and t.type.fullname == EQUATION and len(t.args) == 2 else None


def _side(call: Call, written: Type, result: Poly, names: Names) -> str:
    """`i*n = 4*6 = 24`: a side in the parameters' names, with their values, and what it comes to."""
    formula = poly_of(written) or result
    middle = ""
    monomial, factor = formula.terms[0] if formula.terms else ((), 1)
    numbers = [call.values[atom].value for atom in monomial if atom in call.values]
    if len(formula.terms) == 1 and len(monomial) > 1 and numbers.count(None) == 0 and len(numbers) == len(monomial):
        middle = "*".join(([str(factor)] if factor != 1 else []) + [str(number) for number in numbers])
    return _equal(formula.show(names), middle, str(result))


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
