"""Why an argument is no static size, and what would make it one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mypy.nodes import (
    CallExpr,
    Expression,
    IndexExpr,
    IntExpr,
    MemberExpr,
    NameExpr,
    OpExpr,
    StrExpr,
    TypeInfo,
    UnaryExpr,
    Var,
)
from mypy.plugin import CheckerPluginInterface
from mypy.types import AnyType, Instance, TupleType, get_proper_type

from bendtorch.mypy_plugin.expressions import SizeReader, unchecked_variable
from bendtorch.mypy_plugin.fixed import class_of, is_fixed_field, is_frozen
from bendtorch.mypy_plugin.queries import is_int

NAME: Final = re.compile(r"\w+")
GIVE: Final = "give a number, a Final, a name bound once, or a parameter typed by a dimension variable"


def why_not_static(e: Expression, names: Sequence[str], reader: SizeReader, api: CheckerPluginInterface) -> str:
    """The reason in the user's words, behind "is not static"; `names` are the parameters that the argument is for."""
    return _reason(e, ", ".join(names), reader, api) or f"; {GIVE}"


def _reason(e: Expression, names: str, reader: SizeReader, api: CheckerPluginInterface) -> str:
    match e:
        case UnaryExpr(op="-"):
            return _reason(e.expr, names, reader, api)
        case OpExpr(op="+" | "-" | "*" | "//" | "%" | "**" | "<<" | ">>"):
            sides = [side for side in (e.left, e.right) if reader.size(side, api) is None]
            return _reason(sides[0], names, reader, api) if sides else _of_operation(e, names, api)
    t, text = get_proper_type(api.get_expression_type(e)), as_text(e)
    if isinstance(t, AnyType):
        return _untyped(e, reader) if isinstance(e, NameExpr) else ""
    if isinstance(t, TupleType) and isinstance(e, NameExpr):
        fault = reader.fault_of(e, api)
        return "" if fault is None else f': "{text}" {fault}'
    if isinstance(t, Instance) and t.type.has_base("typing.Sequence"):
        as_in = "" if "argument" in names else f', as in "{names} = {text or "..."}"'
        return f": *{text or '...'} may have any length; unpack it first{as_in}"
    variable = unchecked_variable(t, api)
    if variable is not None:
        return f': calls do not check that "{variable.name}" is one size; declare it Dim[{variable.name}]'
    if not is_int(t):
        return ""
    if isinstance(e, NameExpr):
        fault = reader.fault_of(e, api)
        return "" if fault is None else f': "{text}" {fault}'
    if isinstance(e, MemberExpr) and text:
        owner = api.get_expression_type(e.expr)
        if isinstance(e.expr, NameExpr) and is_fixed_field(owner, e.name) and (fault := reader.fault_of(e.expr, api)):
            return f': "{e.expr.name}" {fault}'
        bound = f'bind it to a name first, as in "{e.name} = {text}"'
        frozen = _freezing(class_of(owner), e.name, bound)
        return f': "{text}" may change; {frozen or bound}'
    return f'; bind it to a name first, as in "{_free_name(names, text)} = {text or "..."}"'


def _of_operation(e: OpExpr, names: str, api: CheckerPluginInterface) -> str:
    """Why two sizes give none."""
    if e.op in ("//", "%"):
        return ": it divides by 0"
    text = as_text(e)
    declared = ": int" if isinstance(get_proper_type(api.get_expression_type(e)), AnyType) else ""
    return f'; bind it to a name first, as in "{_free_name(names, text)}{declared} = {text or "..."}"'


def _free_name(names: str, text: str) -> str:
    """A name to bind an expression to: that of its parameter, unless it is taken."""
    name = "n" if names.startswith("argument") else names
    return "size" if name in NAME.findall(text) else name


def _untyped(e: NameExpr, reader: SizeReader) -> str:
    lambdas = reader.current.lambdas if reader.current is not None else []
    is_of_lambda = any(argument.variable is e.node for each in lambdas for argument in each.arguments)
    remedy = f'write a def with "{e.name}: int"' if is_of_lambda else "declare it int"
    return f': the type of "{as_text(e)}" is not known; {remedy}'


def _freezing(info: TypeInfo | None, field: str, bound: str) -> str:
    """A field that is no property would be fixed in a frozen class, one that the class itself sets by `Final`."""
    symbol = info.names.get(field) if info is not None else None
    is_field = symbol is not None and isinstance(symbol.node, Var) and not symbol.node.is_classvar
    if info is None or not is_field or is_frozen(info) or any(base.is_named_tuple for base in info.mro):
        return ""
    if (
        symbol is not None
        and isinstance(symbol.node, Var)
        and symbol.node.has_explicit_value
        and symbol.node.is_inferred
    ):
        return f"{bound}, or declare it Final in {info.name}"
    return f"{bound}, or make {info.name} a frozen dataclass"


def as_text(e: Expression) -> str:
    """A short expression as it is written; empty for any other."""
    match e:
        case NameExpr():
            return e.name.rstrip("'")  # mypy marks the second of two names of one `with`
        case IntExpr():
            return str(e.value)
        case StrExpr():
            return repr(e.value)
        case MemberExpr():
            owner = as_text(e.expr)
            return f"{owner}.{e.name}" if owner else ""
        case IndexExpr():
            base, index = as_text(e.base), as_text(e.index)
            return f"{base}[{index}]" if base and index else ""
        case OpExpr():
            sides = [f"({side})" if isinstance(o, OpExpr) else side for o in (e.left, e.right) if (side := as_text(o))]
            return f" {e.op} ".join(sides) if len(sides) == 2 else ""
        case CallExpr():
            callee, arguments = as_text(e.callee), [as_text(argument) for argument in e.args]
            return f"{callee}({', '.join(arguments)})" if callee and all(arguments) else ""
    return ""
