"""Walking over the statements of a file, and the expressions in one.

By hand: mypy's own traversing visitors are compiled traits, which crash when a plugin subclasses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mypy.nodes import (
    AssignmentExpr,
    Block,
    ClassDef,
    ConditionalExpr,
    Decorator,
    DictExpr,
    DictionaryComprehension,
    Expression,
    ForStmt,
    FuncDef,
    GeneratorExpr,
    IfStmt,
    IndexExpr,
    LambdaExpr,
    ListComprehension,
    ListExpr,
    MatchStmt,
    NameExpr,
    Node,
    OpExpr,
    OverloadedFuncDef,
    SetExpr,
    Statement,
    TryStmt,
    TupleExpr,
    WhileStmt,
    WithStmt,
)
from mypy.patterns import AsPattern, MappingPattern, Pattern, StarredPattern

REFERENCES: Final = {"node", "analyzed", "info", "definition", "type", "unanalyzed_type"}
"""Attributes that point out of an expression, to what its names mean."""


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


def bound_by_expressions(statement: Statement) -> Iterator[Expression]:
    """The names that a statement's own expressions and patterns bind, and the lambdas, which bind their parameters.

    `(n := 3)`, `case [n, *rest]:`, `[... for n in sizes]`, `lambda n: ...`.
    """
    waiting: list[Node] = [statement]
    seen: set[int] = set()  # a lambda's body refers back to it, and checked nodes share parts
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        match node:
            case AssignmentExpr():
                yield node.target
            case AsPattern(name=NameExpr() as name):
                yield name
            case StarredPattern(capture=NameExpr() as name):
                yield name
            case MappingPattern(rest=NameExpr() as name):
                yield name
            case GeneratorExpr() | DictionaryComprehension():
                yield from node.indices
            case LambdaExpr():
                yield node
                waiting.extend(_of(node.body))
        waiting.extend(_parts(node))


def results(e: Expression) -> Iterator[Expression]:
    """The expressions whose value an expression may have, or have in it: itself, choices, the items of a container."""
    yield e
    for part in _result_parts(e):
        yield from results(part)


def _result_parts(e: Expression) -> Sequence[Expression]:
    match e:
        case ConditionalExpr():
            return (e.if_expr, e.else_expr)
        case OpExpr(op="and" | "or"):
            return (e.left, e.right)
        case TupleExpr() | ListExpr() | SetExpr():
            return e.items
        case DictExpr():
            return [value for _, value in e.items]
        case AssignmentExpr():
            return (e.value,)
        case ListComprehension():
            return (e.generator.left_expr,)
        case IndexExpr():
            return (e.base,)
    return ()


def _parts(node: Node) -> Iterator[Node]:
    """The expressions and patterns directly inside of a node."""
    for name in getattr(type(node), "__mypyc_attrs__", None) or vars(node):  # compiled classes have no vars
        if name not in REFERENCES:
            yield from _nodes_in(getattr(node, name, None))


def _nodes_in(value: object) -> Iterator[Node]:
    if isinstance(value, (Expression, Pattern)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _nodes_in(item)
