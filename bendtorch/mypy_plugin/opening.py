"""A method of an object whose sizes were read at run time: `config.model(b, t)` gives `Mat[b*t, config.vocabulary]`.

A `Config[V]` with a field `vocabulary: Dim[V]` that comes out of a file is a `Config[int]`: V is some number. As long
as the name `config` stands for one object and its fields are set once, that number is `config.vocabulary`, a size of
its own; the methods that are called on that name speak of it.
"""

from __future__ import annotations

from mypy.expandtype import expand_type_by_instance
from mypy.maptype import map_instance_to_supertype
from mypy.nodes import CallExpr, Expression, FuncDef, MemberExpr, Var
from mypy.plugin import CheckerPluginInterface, MethodSigContext
from mypy.typeops import bind_self
from mypy.types import CallableType, Instance, Type, TypeVarType, get_proper_type

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.queries import is_dimension
from bendtorch.mypy_plugin.types import is_of_any_int, named_in, type_of


def opened(context: MethodSigContext, reader: SizeReader) -> CallableType:
    """The method's signature with the fields of its object in place of sizes that are only known to be an int."""
    call, owner = context.context, get_proper_type(context.type)
    if not isinstance(call, CallExpr) or not isinstance(call.callee, MemberExpr) or not isinstance(owner, Instance):
        return context.default_signature
    symbol = owner.type.get(call.callee.name)
    method = symbol.node if symbol is not None else None
    declared = get_proper_type(method.type) if isinstance(method, FuncDef) else None
    if not isinstance(method, FuncDef) or not isinstance(declared, CallableType) or method.is_static or method.is_class:
        return context.default_signature
    sizes = [_size(owner, place, call.callee.expr, context.api, reader) for place in range(len(owner.args))]
    if not any(sizes):
        return context.default_signature
    known = owner.copy_modified(args=[size or old for size, old in zip(sizes, owner.args, strict=True)])
    bound = bind_self(declared, known)
    result = get_proper_type(expand_type_by_instance(bound, map_instance_to_supertype(known, method.info)))
    assert isinstance(result, CallableType)
    return result


def _size(owner: Instance, place: int, e: Expression, api: CheckerPluginInterface, reader: SizeReader) -> Type | None:
    """The field that says what an argument of the object's type is, where that is no more than an int."""
    variable = owner.type.defn.type_vars[place] if place < len(owner.type.defn.type_vars) else None
    argument = get_proper_type(owner.args[place])
    if not isinstance(variable, TypeVarType) or not is_dimension(variable):
        return None
    if not isinstance(argument, Instance) or not is_of_any_int(argument):
        return None
    for name, symbol in owner.type.names.items():
        declared = get_proper_type(symbol.node.type) if isinstance(symbol.node, Var) else None
        if isinstance(declared, TypeVarType) and declared.id == variable.id:
            found = reader.field_of(e, name, api)
            return None if found is None else type_of(found, named_in(api))
    return None
