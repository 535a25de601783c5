"""Names that are bound once in each turn of a loop: `n = len(batch)` in its body, the loop's own variable.

Within a turn, such a name is one number; from turn to turn it differs. Its type says only its name, so no value with
that name in its type may outlive the turn: `layers.append(ReLU(n, 4))`, where mypy works out the type of `layers` from
what is appended, would be a list of layers that all seem to have n rows. So the name counts as a size where

- it is used after its binding, in the same block or inside of it, and not in a function, which may run in a later turn;
- every variable of the loop lives for one turn, or has a type that does not come from the loop, or is given nothing
  there but plain numbers and the like.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mypy.nodes import (
    AssignmentExpr,
    AssignmentStmt,
    CallExpr,
    ComparisonExpr,
    ConditionalExpr,
    Expression,
    FloatExpr,
    ForStmt,
    FuncDef,
    IndexExpr,
    IntExpr,
    ListExpr,
    MemberExpr,
    NameExpr,
    OperatorAssignmentStmt,
    OpExpr,
    RefExpr,
    StarExpr,
    Statement,
    StrExpr,
    TupleExpr,
    TypeInfo,
    UnaryExpr,
    Var,
    WhileStmt,
    WithStmt,
)
from mypy.patterns import AsPattern, MappingPattern, StarredPattern
from mypy.types import CallableType, Instance, PartialType, Type, get_proper_type

from bendtorch.mypy_plugin.mentions import Mentions, Place, binds, end_of, start_of, targets_of
from bendtorch.mypy_plugin.queries import has_type_variable
from bendtorch.mypy_plugin.walk import everything, expressions_in

Loop = ForStmt | WhileStmt


@dataclass(frozen=True)
class Turn:
    """The part of a loop in which a name has this turn's value."""

    loop: Loop
    start: Place
    end: Place

    def has(self, e: NameExpr) -> bool:
        """Whether a mention of the name stands there."""
        return self.start <= start_of(e) < self.end


def turn_of(loop: Loop, block: Sequence[Statement], after: Statement | None) -> Turn:
    """From the end of a statement to the end of its block; the whole block where there is no such statement."""
    return Turn(loop, start_of(block[0]) if after is None else end_of(after), end_of(block[-1]))


class Loops:
    """The loops of a file."""

    def __init__(self, statements: list[Statement]) -> None:
        self.statements = statements
        self.mentions: Mentions | None = None
        self.without: set[Loop] = set()

    def fault_of(self, e: NameExpr, turn: Turn, *, may_widen: bool) -> str | None:
        """Why a name that is bound in each turn is no size where it is used; None if it is one.

        `may_widen` says that assignments change the types of variables, as mypy's `allow_redefinition` has it.
        """
        self.mentions = self.mentions or Mentions(self.statements)
        if not turn.has(e):
            return "use it in the loop, after it is bound"
        if self.mentions.runs_later(start_of(e), turn.loop):
            return "use it in the loop itself, not in a function, which may run in a later turn"
        if turn.loop in self.without:
            return None
        for variable in self.mentions.all_in(turn.loop):
            is_fixed = is_known(variable.type) and not (may_widen and variable.is_inferred)
            if is_fixed or self.mentions.live_one_turn(variable, turn.loop) or _is_given_plain(variable, turn.loop):
                continue
            return f'declare the type of "{variable.name}", which outlives a turn'
        self.without.add(turn.loop)
        return None


def is_known(t: Type | None) -> bool:
    """Whether mypy has settled the type of a variable."""
    return t is not None and not isinstance(get_proper_type(t), PartialType)


def _is_given_plain(variable: Var, loop: Loop, seen: frozenset[Var] = frozenset()) -> bool:
    """Whether nothing that a loop puts into a variable can have a size of the loop's in its type."""
    given = () if variable in seen else _given_to(variable, loop)
    return all(e is not None and _gives_plain(e, loop, seen | {variable}) for e in given)


def _gives_plain(e: Expression, loop: Loop, seen: frozenset[Var]) -> bool:
    match e:
        case IntExpr() | FloatExpr() | StrExpr() | ComparisonExpr():
            return True
        case UnaryExpr():
            return _gives_plain(e.expr, loop, seen)
        case OpExpr():
            return all(_gives_plain(side, loop, seen) for side in (e.left, e.right))
        case ConditionalExpr():
            return all(_gives_plain(side, loop, seen) for side in (e.if_expr, e.else_expr))
        case TupleExpr() | ListExpr():
            return all(_gives_plain(item, loop, seen) for item in e.items)
        case NameExpr(node=Var() as variable):
            return is_known(variable.type) or _is_given_plain(variable, loop, seen)
        case CallExpr(callee=MemberExpr(expr=StrExpr())):  # an f-string is one
            return True
        case CallExpr():
            result = _result_of(e.callee)
            return result is not None and not has_type_variable(result)
    return False


def _given_to(variable: Var, loop: Loop) -> Iterator[Expression | None]:
    """What a loop assigns or adds to a variable; None for what is not an expression of its own.

    The loop's own variable is given what it goes through, which is there before the first turn.
    """
    for statement in everything([loop]):
        match statement:
            case AssignmentStmt():
                for target in statement.lvalues:
                    yield from _given_by(target, statement.rvalue, variable)
            case OperatorAssignmentStmt():
                yield from _given_by(statement.lvalue, statement.rvalue, variable)
            case ForStmt() | WithStmt() if statement is not loop and binds(targets_of(statement), variable):
                yield None
        for e in expressions_in(statement):
            match e:
                case CallExpr(callee=MemberExpr(expr=owner)) if _is_of(owner, variable):  # layers.append(...)
                    yield from e.args
                case AssignmentExpr() if _is_of(e.target, variable):
                    yield e.value
                case AsPattern(name=name) | StarredPattern(capture=name) | MappingPattern(rest=name):
                    yield from [None] if name is not None and _is_of(name, variable) else []


def _given_by(target: Expression, value: Expression, variable: Var) -> Iterator[Expression | None]:
    match target:
        case TupleExpr() | ListExpr():
            for item in target.items:
                yield from (None for _ in _given_by(item, value, variable))
        case StarExpr():
            yield from (None for _ in _given_by(target.expr, value, variable))
        case _ if _is_of(target, variable):
            yield value


def _is_of(e: Expression, variable: Var) -> bool:
    """Whether it is a variable, or an item of it, as in `layers[k]`."""
    while isinstance(e, IndexExpr):
        e = e.base
    return isinstance(e, NameExpr) and e.node is variable


def _result_of(callee: Expression) -> Type | None:
    """What a function gives, as far as it can be known before the call is checked."""
    node = callee.node if isinstance(callee, RefExpr) else None
    if isinstance(callee, MemberExpr) and isinstance(callee.expr, NameExpr) and isinstance(callee.expr.node, Var):
        owner = get_proper_type(callee.expr.node.type)
        symbol = owner.type.get(callee.name) if isinstance(owner, Instance) else None
        node = symbol.node if symbol is not None else None
    if isinstance(node, TypeInfo):
        return None if node.type_vars else Instance(node, [])
    t = get_proper_type(node.type) if isinstance(node, (FuncDef, Var)) else None
    return t.ret_type if isinstance(t, CallableType) else None
