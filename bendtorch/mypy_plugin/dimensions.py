"""The sizes that a call gives by value: `Linear(64, 784, 128)` says what `n: Dim[N], i: Dim[I], o: Dim[O]` are.

A size parameter that a call leaves out, or gives as None, is the default of its dimension variable.
"""

from __future__ import annotations

from mypy.nodes import Expression, NameExpr, Var
from mypy.subtypes import is_subtype
from mypy.types import AnyType, Instance, TupleType, TypeOfAny, TypeVarType, UnboundType, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.limits import fault_of
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import is_none, size_variable
from bendtorch.mypy_plugin.reasons import why_not_static
from bendtorch.mypy_plugin.types import poly_of, type_of, unknown
from bendtorch.mypy_plugin.vocabulary import BEND_DIM, BEND_SHAPE


def bind_dimensions(call: Call, reader: SizeReader) -> set[int]:
    """Read every `n: Dim[N]` argument into `call.found`; the indices of those parameters come back."""
    bound: set[int] = set()
    previous: Expression | None = None
    left_out: list[TypeVarType] = []
    for index, t in enumerate(call.signature.arg_types):
        variable, argument = size_variable(t), call.argument(index)
        if variable is None:
            continue
        if argument is None or is_none(argument):
            left_out.append(variable)
            continue
        _bind(call, index, variable, argument, reader, say=argument is not previous)
        bound.add(index)
        previous = argument
    for variable in left_out:
        _take_default(call, variable)
    return bound


def _take_default(call: Call, variable: TypeVarType) -> None:
    """The default is a number, or another of the call's variables: mypy keeps that one as its name only."""
    default = get_proper_type(variable.default)
    if isinstance(default, (UnboundType, TypeVarType)):
        sizes = (call.found.get(v.id) for v in call.dimensions if v.name == default.name)
        default = get_proper_type(next(sizes, None) or default)
    poly = poly_of(default)
    if poly is not None and variable.id not in call.found:
        call.found[variable.id] = type_of(poly, call.named)


def _bind(
    call: Call, index: int, variable: TypeVarType, argument: Expression, reader: SizeReader, *, say: bool
) -> None:
    """One of them; `say` is False for the further parameters that one `*sizes` is for."""
    name, poly, variable_poly = call.parameter_name(index), _size(call, index, argument, reader), poly_of(variable)
    if poly is None or variable_poly is None:
        call.found[variable.id] = unknown()
        if say and _is_ours_to_report(call, argument):
            names = [
                call.parameter_name(other) for other in range(index, len(call.args)) if argument in call.args[other]
            ]
            why = why_not_static(argument, names, reader, call.api)
            call.fail(f"{_what(name)} is not static{why}", argument, BEND_DIM)
        return
    (atom,) = variable_poly.atoms
    known = call.values.get(atom)
    if known is None:
        fault = fault_of(call, variable, poly)
        if fault is not None:
            call.fail(f"{_what(name)} is {poly}; {fault}", argument, BEND_DIM)
        call.values[atom], call.names[atom] = poly, name
        call.found[variable.id] = type_of(poly, call.named)
    elif known != poly:
        call.fail(f'"{call.names[atom]}" is {known}, "{name}" is {poly}; they must be equal', argument, BEND_SHAPE)


def _size(call: Call, index: int, argument: Expression, reader: SizeReader) -> Poly | None:
    """The size that an argument is; of `*sizes`, which is given for several parameters, the item for this one."""
    t = get_proper_type(call.api.get_expression_type(argument))
    if not isinstance(t, TupleType):
        return reader.size(argument, call.api)
    place = sum(argument in given for given in call.args[:index])
    known = poly_of(t.items[place]) if place < len(t.items) else None
    return known if known is not None else reader.item(argument, place, call.api)


def _what(name: str) -> str:
    return name if name.startswith("argument ") else f'dimension "{name}"'


def _is_ours_to_report(call: Call, argument: Expression) -> bool:
    """Not where mypy itself says that the argument is no int.

    Containers come from `f(*sizes)`: a hook is not told about the star.
    """
    t = get_proper_type(call.api.get_expression_type(argument))
    is_container = isinstance(t, TupleType) or (isinstance(t, Instance) and bool(t.args))
    if isinstance(t, AnyType):
        is_undetermined = isinstance(argument, NameExpr) and isinstance(argument.node, Var) and not argument.node.type
        return not is_undetermined and t.type_of_any != TypeOfAny.from_error
    return is_container or is_subtype(t, call.named("builtins.int", []))
