"""Where the variables of a file are mentioned, and whether one that is bound in a loop lives for one turn only.

Places are pairs of line and column. A part of a tree covers the places from its start to its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mypy.nodes import (
    AssignmentStmt,
    CallExpr,
    Context,
    Expression,
    ForStmt,
    FuncDef,
    GeneratorExpr,
    LambdaExpr,
    ListComprehension,
    NameExpr,
    Statement,
    Var,
    WithStmt,
)

from bendtorch.mypy_plugin.walk import blocks, everything, expressions_in

Place = tuple[int, int]
CONSUMERS: Final = {f"builtins.{name}" for name in ("all", "any", "dict", "list", "max", "min", "set", "sum", "tuple")}
"""Functions that go through a generator before they return."""


def start_of(node: Context) -> Place:
    """Where a node starts."""
    return node.line, node.column


def end_of(node: Context) -> Place:
    """Where a node ends; mypy does not tell of every lambda, which ends with its expression."""
    end = node.end_line or node.line, node.end_column or node.column
    return max(end, end_of(node.expr())) if isinstance(node, LambdaExpr) else end


def covers(outer: Context, place: Place) -> bool:
    """Whether a place is in a part of a tree."""
    return start_of(outer) <= place < end_of(outer)


class Mentions:
    """The mentions of each variable, and the parts of the file that run later than where they stand."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.places: dict[Var, list[Place]] = {}
        self.delayed: list[Context] = []
        at_once: set[int] = set()
        for statement in everything(statements):
            if isinstance(statement, FuncDef):
                self.delayed.append(statement)
            for e in expressions_in(statement):
                match e:
                    case NameExpr(node=Var() as variable):
                        self.places.setdefault(variable, []).append(start_of(e))
                    case ListComprehension():
                        at_once.add(id(e.generator))
                    case CallExpr(callee=NameExpr(fullname=name), args=[argument]) if name in CONSUMERS:
                        at_once.add(id(argument))
                    case LambdaExpr() | GeneratorExpr():
                        self.delayed.append(e)
        self.delayed = [node for node in self.delayed if id(node) not in at_once]

    def is_in(self, variable: Var, part: Context) -> bool:
        """Whether a variable is mentioned in a part of the file."""
        return any(covers(part, place) for place in self.places.get(variable, ()))

    def runs_later(self, place: Place, within: Context) -> bool:
        """Whether a place in a part of the file stands in a function or a generator of that part."""
        return any(covers(within, start_of(node)) and covers(node, place) for node in self.delayed)

    def all_in(self, part: Context) -> list[Var]:
        """The variables that are mentioned in a part of the file, in the order of their first mention there."""
        found = {v: min((p for p in places if covers(part, p)), default=None) for v, places in self.places.items()}
        return sorted((v for v, place in found.items() if place is not None), key=lambda v: found[v] or (0, 0))

    def live_one_turn(self, variable: Var, loop: Statement) -> bool:
        """Whether a variable gets a value in each turn before it is read, and is mentioned nowhere else."""
        places = self.places.get(variable, [])
        if not all(covers(loop, place) and not self.runs_later(place, loop) for place in places):
            return False
        return self._is_bound_first(variable, [loop])

    def _is_bound_first(self, variable: Var, block: Sequence[Statement]) -> bool:
        mentioning = [statement for statement in block if self.is_in(variable, statement)]
        if not mentioning:
            return True
        first, *more = mentioning
        if isinstance(first, AssignmentStmt):
            return binds(first.lvalues, variable) and not self.is_in(variable, first.rvalue)
        if more:
            return False
        parts = [] if isinstance(first, FuncDef) else blocks(first)
        inner = [statement for part in parts for statement in part]
        heads = [
            place
            for place in self.places[variable]
            if covers(first, place) and not any(covers(statement, place) for statement in inner)
        ]
        targets = targets_of(first)
        if targets and binds(targets, variable):
            others = parts[1:]  # of a loop's targets, nothing is sure behind the loop
            is_read = any(not any(covers(target, place) for target in targets) for place in heads)
            return not is_read and not any(self.is_in(variable, s) for part in others for s in part)
        return not heads and all(self._is_bound_first(variable, part) for part in parts)


def targets_of(statement: Statement) -> list[Expression]:
    """What a `for` or a `with` assigns to."""
    match statement:
        case ForStmt():
            return [statement.index]
        case WithStmt():
            return [target for target in statement.target if target is not None]
    return []


def binds(targets: Iterable[Expression], variable: Var) -> bool:
    """Whether a variable is among the names that an assignment binds."""
    for target in targets:
        if isinstance(target, NameExpr) and target.node is variable:
            return True
        if binds(getattr(target, "items", ()), variable):  # of a tuple or a list
            return True
    return False
