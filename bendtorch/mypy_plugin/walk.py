"""Walking over the statements of a file.

By hand: mypy's own traversing visitors are compiled traits, which crash when a plugin subclasses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mypy.nodes import (
    Block,
    ClassDef,
    Decorator,
    ForStmt,
    FuncDef,
    IfStmt,
    MatchStmt,
    OverloadedFuncDef,
    Statement,
    TryStmt,
    WhileStmt,
    WithStmt,
)


def inside(statement: Statement) -> list[Statement]:
    """The statements directly inside of a statement."""
    match statement:
        case Decorator():
            return [statement.func]
        case OverloadedFuncDef():
            return [item for item in statement.items if isinstance(item, (Decorator, FuncDef))]
        case FuncDef():
            return _of(statement.body)
        case ClassDef():
            return _of(statement.defs)
        case ForStmt() | WhileStmt():
            return _of(statement.body, statement.else_body)
        case IfStmt():
            return _of(*statement.body, statement.else_body)
        case WithStmt():
            return _of(statement.body)
        case TryStmt():
            return _of(statement.body, *statement.handlers, statement.else_body, statement.finally_body)
        case MatchStmt():
            return _of(*statement.bodies)
    return []


def _of(*blocks: Block | None) -> list[Statement]:
    return [statement for block in blocks if block is not None for statement in block.body]


def everything(statements: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, those inside of others right after them."""
    for statement in statements:
        yield statement
        yield from everything(inside(statement))
