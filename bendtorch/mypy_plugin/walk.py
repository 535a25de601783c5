"""Walking over the statements of a file, and the expressions in one.

By hand: mypy's own traversing visitors are compiled traits, which crash when a plugin subclasses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mypy.nodes import (
    Argument,
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
    return [inner for block in blocks(statement) for inner in block]


def blocks(statement: Statement) -> list[list[Statement]]:
    """The same, block by block: a loop's body and its `else`, each branch of an `if`."""
    match statement:
        case Decorator():
            return [[statement.func]]
        case OverloadedFuncDef():
            return [[item for item in statement.items if isinstance(item, (Decorator, FuncDef))]]
        case FuncDef() | WithStmt():
            return _of(statement.body)
        case ClassDef():
            return _of(statement.defs)
        case ForStmt() | WhileStmt():
            return _of(statement.body, statement.else_body)
        case IfStmt():
            return _of(*statement.body, statement.else_body)
        case TryStmt():
            return _of(statement.body, *statement.handlers, statement.else_body, statement.finally_body)
        case MatchStmt():
            return _of(*statement.bodies)
    return []


def _of(*parts: Block | None) -> list[list[Statement]]:
    return [part.body for part in parts if part is not None]


def everything(statements: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, those inside of others right after them."""
    for statement in statements:
        yield statement
        yield from everything(inside(statement))


def expressions_in(statement: Statement) -> Iterator[Node]:
    """The expressions and patterns of a statement, without those of the statements inside of it."""
    waiting: list[Node] = [statement]
    seen: set[int] = set()  # a lambda's body refers back to it, and checked nodes share parts
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, LambdaExpr):
            waiting.extend(inner for block in _of(node.body) for inner in block)
        waiting.extend(_parts(node))


def bound_by_expressions(statement: Statement) -> Iterator[Expression]:
    """The names that a statement's own expressions and patterns bind; lambdas and comprehensions, which bind their own.

    `(n := 3)`, `case [n, *rest]:`, `[... for n in sizes]`, `lambda n: ...`.
    """
    for node in expressions_in(statement):
        match node:
            case AssignmentExpr():
                yield node.target
            case AsPattern(name=NameExpr() as name):
                yield name
            case StarredPattern(capture=NameExpr() as name):
                yield name
            case MappingPattern(rest=NameExpr() as name):
                yield name
            case GeneratorExpr() | DictionaryComprehension() | LambdaExpr():
                yield node


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
    elif isinstance(value, Argument) and value.initializer is not None:
        yield value.initializer
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _nodes_in(item)
