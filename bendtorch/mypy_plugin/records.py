"""`make_layer(params, fwd, bwd)` and `Layer(fwd=..., ...)`: the type of `fwd` settles the layer's.

Left alone, mypy infers P, X, Y and S from all functions at once, and a backward pass with a wrong gradient is reported
as a type variable that cannot be inferred. With fwd's types put in, every other function is held against them by
itself.
"""

from __future__ import annotations

from mypy.expandtype import expand_type
from mypy.types import CallableType, Instance, Type, TypeVarId, TypeVarType, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.rename import is_settled_expression
from bendtorch.mypy_plugin.vocabulary import LAYER, MAKE_LAYER


def builds_layer(signature: CallableType) -> bool:
    """Whether the callee is `Layer` or `make_layer`."""
    if signature.is_type_obj():
        return signature.type_object().fullname == LAYER
    return signature.definition is not None and signature.definition.fullname == MAKE_LAYER


def layer_from_forward(call: Call) -> CallableType:
    """The signature with P, X, Y and S taken from the function given as `fwd`."""
    s = call.signature
    index = s.arg_names.index("fwd") if "fwd" in s.arg_names else -1
    argument = call.argument(index) if index >= 0 else None
    if argument is None or not is_settled_expression(argument):
        return s
    forward, wanted = get_proper_type(call.api.get_expression_type(argument)), get_proper_type(s.arg_types[index])
    if not isinstance(forward, CallableType) or not isinstance(wanted, CallableType) or forward.variables:
        return s
    found = _match(wanted, forward)
    return s.copy_modified(
        arg_types=[expand_type(t, found) for t in s.arg_types],
        ret_type=expand_type(s.ret_type, found),
        variables=[v for v in s.variables if v.id not in found],
    )


def _match(wanted: CallableType, forward: CallableType) -> dict[TypeVarId, Type]:
    """What the variables of `Callable[[P, X], Fwd[Y, S]]` are in a function's type; nothing for another kind."""
    wanted_result, result = get_proper_type(wanted.ret_type), get_proper_type(forward.ret_type)
    if not isinstance(wanted_result, Instance) or not isinstance(result, Instance):
        return {}
    if wanted_result.type is not result.type or len(wanted.arg_types) != len(forward.arg_types):
        return {}
    found: dict[TypeVarId, Type] = {}
    formals, actuals = (*wanted.arg_types, *wanted_result.args), (*forward.arg_types, *result.args)
    for formal, actual in zip(formals, actuals, strict=True):
        variable = get_proper_type(formal)
        if isinstance(variable, TypeVarType):
            found.setdefault(variable.id, actual)
    return found
