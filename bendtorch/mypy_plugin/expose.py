"""Showing mypy the names inside of strings.

mypy binds a function's type variables by looking for their names in its signature before any hook is asked, and it does
not look into strings: in `def up(x: Mat[3, "4*D"])` it would never find D. So before a file's functions are analysed,
`"4*D"` in `Mat[3, "4*D"]` is replaced by a pseudo-type `Mat[<4*D>, D]`, which mypy finds D in, and which the hook for
annotations reads back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from mypy.nodes import (
    AssignmentStmt,
    Expression,
    FuncDef,
    IndexExpr,
    MemberExpr,
    MypyFile,
    NameExpr,
    PlaceholderNode,
    StrExpr,
    TupleExpr,
    TypeVarExpr,
)
from mypy.types import CallableType, RawExpressionType, Type, TypeList, UnboundType, UnionType

from bendtorch.mypy_plugin.size_text import names_in
from bendtorch.mypy_plugin.walk import everything

MARK: Final = "bendtorch-size:"
NOT_SIZES: Final = ("Literal", "Annotated")

Known = Callable[[str], bool]


def size_text(t: Type) -> str | None:
    """The string in a size position, as mypy parsed it or as `expose` left it."""
    if isinstance(t, RawExpressionType) and isinstance(t.literal_value, str):
        return t.literal_value if t.base_type_name == "builtins.str" else None
    if isinstance(t, UnboundType) and t.args and isinstance(mark := t.args[0], RawExpressionType):
        text = mark.literal_value
        return text.removeprefix(MARK) if isinstance(text, str) and text.startswith(MARK) else None
    return None


def expose(tree: MypyFile) -> bool:
    """Make the names inside of a file's strings visible to mypy; True when something was changed. Safe to repeat."""
    changed = False
    for statement in everything(tree.defs):
        if isinstance(statement, FuncDef) and isinstance(statement.type, CallableType):
            if _expose_type(statement.type, tree.names.__contains__):
                statement.type.variables = ()  # collected too early: mypy collects them again
                changed = True
        elif isinstance(statement, AssignmentStmt) and _declares_alias(statement):
            changed = _expose_alias(statement.rvalue, lambda name: _is_variable(name, tree)) or changed
    return changed


def _declares_alias(statement: AssignmentStmt) -> bool:
    declared = statement.unanalyzed_type
    return isinstance(declared, UnboundType) and declared.name.endswith("TypeAlias")


def _is_variable(name: str, tree: MypyFile) -> bool:
    return name in tree.names and isinstance(tree.names[name].node, (TypeVarExpr, PlaceholderNode))


def _expose_type(t: Type, known: Known) -> bool:
    match t:
        case UnboundType():
            exposed = [_exposed_argument(t, argument, known) for argument in t.args]
            t.args = tuple(argument for argument, _ in exposed)
            return any(changed for _, changed in exposed)
        case UnionType() | TypeList():
            return _expose_all(t.items, known)
        case CallableType():
            return _expose_all((*t.arg_types, t.ret_type), known)
    return False


def _expose_all(types: Iterable[Type], known: Known) -> bool:
    """All of them; any() alone would stop at the first change."""
    changed = [_expose_type(t, known) for t in types]
    return any(changed)


def _exposed_argument(owner: UnboundType, argument: Type, known: Known) -> tuple[Type, bool]:
    text = size_text(argument) if isinstance(argument, RawExpressionType) else None
    if text is None or owner.name.rsplit(".", 1)[-1] in NOT_SIZES:
        return argument, _expose_type(argument, known)
    names = [name for name in names_in(text) if known(name.split(".")[0])]
    if not names:
        return argument, False
    line, column = argument.line, argument.column
    parts: list[Type] = [RawExpressionType(MARK + text, "builtins.str", line=line, column=column)]
    parts += [UnboundType(name, line=line, column=column) for name in names]
    exposed = UnboundType(owner.name, parts, line=line, column=column)
    exposed.original_str_expr, exposed.original_str_fallback = text, "builtins.str"
    return exposed, True


def _expose_alias(value: Expression, known: Known) -> bool:
    """The same for the right side of `X: TypeAlias = ...`, which is still an expression."""
    if not isinstance(value, IndexExpr) or not isinstance(value.base, (NameExpr, MemberExpr)):
        return False
    if value.base.name in NOT_SIZES:
        return False
    items = value.index.items if isinstance(value.index, TupleExpr) else [value.index]
    changed = False
    for position, item in enumerate(items):
        changed = _expose_alias(item, known) or changed
        names = [n for n in names_in(item.value) if "." not in n and known(n)] if isinstance(item, StrExpr) else []
        if not isinstance(item, StrExpr) or not names or item.value.strip() in names:
            continue
        replacement = _marked(value.base, item, names)
        if isinstance(value.index, TupleExpr):
            value.index.items[position] = replacement
        else:
            value.index = replacement
        changed = True
    return changed


def _marked(base: Expression, text: StrExpr, names: list[str]) -> IndexExpr:
    """`Base[<4*D>, D]` as an expression, at the place of the string."""
    parts = TupleExpr([StrExpr(MARK + text.value), *map(NameExpr, names)])
    marked = IndexExpr(base, parts)
    for node in (marked, parts, *parts.items):
        node.set_line(text)
    return marked
