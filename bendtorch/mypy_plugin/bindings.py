"""Which names of a file are bound once, and to what: such a name stands for the size that its expression denotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.nodes import (
    AssignmentStmt,
    Context,
    DictionaryComprehension,
    Expression,
    ForStmt,
    FuncDef,
    GeneratorExpr,
    LambdaExpr,
    ListExpr,
    MemberExpr,
    MypyFile,
    NameExpr,
    OperatorAssignmentStmt,
    StarExpr,
    Statement,
    TempNode,
    TupleExpr,
    Var,
    WhileStmt,
    WithStmt,
)

from bendtorch.mypy_plugin.loops import Loop, Loops, Turn, turn_of
from bendtorch.mypy_plugin.walk import blocks, bound_by_expressions, results

OFTEN: Final = "is bound more than once; give each number a name of its own"
IN_EXPRESSION: Final = "is bound inside of an expression; bind it in a statement of its own"
IN_COMPREHENSION: Final = "is another number each time in a comprehension; write a loop"


class Bindings:
    """The bindings of one file.

    `definitions` holds each assigned variable with the expression of its first assignment, None where it has none of
    its own (`n, c = sizes()`); `items` has the place of one in what is taken apart (`n, c = x.shape`). `declared` are
    those that a function declares before it binds them. `changing` has those that are bound more than once, with what
    to say of each, `turns` those that are bound once in each turn of a loop, with the part of it where they are.
    `parameters` are those of functions and lambdas, `lambdas` are the lambdas, `makers` the same by the expressions
    that they give. `foreign` are the variables that were asked for and are bound in none of these ways.
    """

    def __init__(self, tree: MypyFile) -> None:
        self.statements = tree.defs
        self.definitions: dict[Var, Expression | None] = {}
        self.items: dict[Var, tuple[Expression, int]] = {}
        self.declared: dict[Var, FuncDef | None] = {}
        self.function: FuncDef | None = None
        self.changing: dict[Var, str] = {}
        self.parameters: set[Var] = set()
        self.lambdas: list[LambdaExpr] = []
        self.makers: dict[Context, LambdaExpr] = {}
        self.foreign: set[Var] = set()
        self.turns: dict[Var, Turn] = {}
        self.loops = Loops(tree.defs)
        self._read(tree.defs, None)

    def is_of(self, tree: MypyFile) -> bool:
        """Whether these are the bindings of a file as it is now: the daemon keeps a tree and changes what is in it."""
        return self.statements is tree.defs

    def knows(self, variable: Var) -> bool:
        """Whether the variable is bound in this file in a way that is understood."""
        return variable in self.definitions or variable in self.parameters

    def has_seen(self, variable: Var) -> bool:
        """Whether the variable was there when the bindings were read, as far as one can know."""
        return self.knows(variable) or variable in self.foreign

    def is_bound_once(self, variable: Var) -> bool:
        """Whether its value never changes: bound by one assignment, or a parameter that is never assigned."""
        return self.knows(variable) and variable not in self.changing and variable not in self.turns

    def fault_of(self, e: NameExpr, *, may_widen: bool) -> str | None:
        """Why a name is no size; None if it is one: of one value wherever it counts, always or in a turn."""
        if not isinstance(e.node, Var) or not self.knows(e.node):
            return "is not bound in this file; make it a Final there"
        if e.node in self.changing:
            return self.changing[e.node]
        turn = self.turns.get(e.node)
        fault = None if turn is None else self.loops.fault_of(e, turn, may_widen=may_widen)
        return None if fault is None else f"is another number in each turn of the loop; {fault}"

    def lambdas_ending_at(self, e: Context) -> list[LambdaExpr]:
        """The lambda whose result an expression is, and those inside of it."""
        inside_of = [each for each in self.lambdas if _contains(e, each)]
        return [self.makers[e], *inside_of] if e in self.makers else inside_of

    def _read(self, block: Sequence[Statement], loop: Loop | None) -> None:
        for statement in block:
            self._read_one(statement, None if loop is None else turn_of(loop, block, statement))
            for name in bound_by_expressions(statement):
                self._read_expression(name)
            outer = self.function
            self.function = statement if isinstance(statement, FuncDef) else outer
            for number, inner in enumerate(blocks(statement)):
                self._read(inner, _loop_around(statement, number, loop))
            self.function = outer

    def _read_expression(self, e: Expression) -> None:
        match e:
            case LambdaExpr():
                self.parameters |= {argument.variable for argument in e.arguments}
                self.lambdas.append(e)
                self.makers |= dict.fromkeys(results(e.expr()), e)
            case GeneratorExpr() | DictionaryComprehension():
                for index in e.indices:
                    self._bind(index, why=IN_COMPREHENSION)
            case _:
                self._bind(e, why=IN_EXPRESSION)

    def _read_one(self, statement: Statement, turn: Turn | None) -> None:
        match statement:
            case FuncDef():
                self.parameters |= {argument.variable for argument in statement.arguments}
            case AssignmentStmt(rvalue=TempNode(no_rhs=True), lvalues=[NameExpr(node=Var() as variable)]):  # n: int
                self.declared[variable] = self.function
            case AssignmentStmt():
                first, *others = statement.lvalues
                self._bind(first, statement.rvalue, turn)
                for target in others:  # a = b = number(): the same number
                    self._bind(target, first if isinstance(first, NameExpr) else statement.rvalue, turn)
            case OperatorAssignmentStmt():
                self._bind(statement.lvalue, why=OFTEN)
            case ForStmt():
                self._bind(statement.index, None, turn_of(statement, statement.body.body, None))
            case WithStmt():
                for optional in statement.target:
                    self._bind(optional, None, turn and turn_of(turn.loop, statement.body.body, None))

    def _bind(
        self, target: Expression | None, value: Expression | None = None, turn: Turn | None = None, why: str = ""
    ) -> None:
        """`turn` is where a name keeps the value, None for always; `why` is what is said of one that changes."""
        match target:
            case NameExpr(node=Var() as variable):
                if self.declared.get(variable, self.function) is not self.function:
                    why = why or OFTEN  # a function that is called again binds it again
                if why or self.knows(variable):
                    self.changing.setdefault(variable, why or OFTEN)
                elif turn is not None:
                    self.turns[variable] = turn
                self.definitions.setdefault(variable, value)
            case StarExpr():
                self._bind(target.expr, None, turn, why)
            case TupleExpr() | ListExpr():
                values: list[Expression | None] = [None] * len(target.items)
                if isinstance(value, (TupleExpr, ListExpr)) and len(value.items) == len(values):
                    values = list(value.items)
                for place, (item, part) in enumerate(zip(target.items, values, strict=True)):
                    self._bind(item, part, turn, why)
                    if isinstance(value, (NameExpr, MemberExpr)) and isinstance(item, NameExpr):
                        self._take_item(item, (value, place), target)

    def _take_item(self, e: NameExpr, item: tuple[Expression, int], target: TupleExpr | ListExpr) -> None:
        if isinstance(e.node, Var) and not any(isinstance(other, StarExpr) for other in target.items):
            self.items.setdefault(e.node, item)


def _contains(outer: Context, inner: Context) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line or outer.line, outer.end_column or 0)
    return start <= (inner.line, inner.column) < end and outer is not inner


def _loop_around(statement: Statement, block: int, loop: Loop | None) -> Loop | None:
    """The loop that runs a block of a statement again: none runs a function's, and a loop's `else` runs once."""
    if isinstance(statement, FuncDef):
        return None
    return statement if isinstance(statement, (ForStmt, WhileStmt)) and block == 0 else loop
