"""Which names of a file are bound once, and to what: such a name stands for the size that its expression denotes."""

from __future__ import annotations

from collections.abc import Iterable

from mypy.nodes import (
    AssignmentStmt,
    Context,
    Expression,
    ForStmt,
    FuncDef,
    LambdaExpr,
    ListExpr,
    MypyFile,
    NameExpr,
    OperatorAssignmentStmt,
    StarExpr,
    Statement,
    TupleExpr,
    Var,
    WhileStmt,
    WithStmt,
)

from bendtorch.mypy_plugin.walk import bound_by_expressions, inside, results


class Bindings:
    """The bindings of one file.

    `definitions` holds each assigned variable with the expression of its first assignment, None where it has none of
    its own (`n, c = sizes()`). `changing` are those that are bound more than once, or in a loop. `parameters` are the
    parameters of functions and lambdas, `lambdas` are the lambdas, `makers` the same by the expressions that they give.
    `foreign` are the variables that were asked for and are bound in none of these ways.
    """

    def __init__(self, tree: MypyFile) -> None:
        self.statements = tree.defs
        self.definitions: dict[Var, Expression | None] = {}
        self.changing: set[Var] = set()
        self.parameters: set[Var] = set()
        self.lambdas: list[LambdaExpr] = []
        self.makers: dict[Context, LambdaExpr] = {}
        self.foreign: set[Var] = set()
        self._read(tree.defs, in_loop=False)

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
        return self.knows(variable) and variable not in self.changing

    def lambdas_ending_at(self, e: Context) -> list[LambdaExpr]:
        """The lambda whose result an expression is, and those inside of it."""
        inside_of = [each for each in self.lambdas if _contains(e, each)]
        return [self.makers[e], *inside_of] if e in self.makers else inside_of

    def _read(self, statements: Iterable[Statement], *, in_loop: bool) -> None:
        for statement in statements:
            self._read_one(statement, in_loop)
            for name in bound_by_expressions(statement):
                if isinstance(name, LambdaExpr):
                    self.parameters |= {argument.variable for argument in name.arguments}
                    self.lambdas.append(name)
                    self.makers |= dict.fromkeys(results(name.expr()), name)
                else:
                    self._bind(name, None, once=False)
            again = isinstance(statement, (ForStmt, WhileStmt))
            self._read(inside(statement), in_loop=not isinstance(statement, FuncDef) and (in_loop or again))

    def _read_one(self, statement: Statement, in_loop: bool) -> None:
        match statement:
            case FuncDef():
                self.parameters |= {argument.variable for argument in statement.arguments}
            case AssignmentStmt():
                for target in statement.lvalues:
                    self._bind(target, statement.rvalue, once=not in_loop)
            case OperatorAssignmentStmt():
                self._bind(statement.lvalue, None, once=False)
            case ForStmt():
                self._bind(statement.index, None, once=False)
            case WithStmt():
                for optional in statement.target:
                    self._bind(optional, None, once=not in_loop)

    def _bind(self, target: Expression | None, value: Expression | None, *, once: bool) -> None:
        match target:
            case NameExpr(node=Var() as variable):
                if self.knows(variable) or not once:
                    self.changing.add(variable)
                self.definitions.setdefault(variable, value)
            case StarExpr():
                self._bind(target.expr, None, once=once)
            case TupleExpr() | ListExpr():
                values: list[Expression | None] = [None] * len(target.items)
                if isinstance(value, (TupleExpr, ListExpr)) and len(value.items) == len(values):
                    values = list(value.items)
                for item, part in zip(target.items, values, strict=True):
                    self._bind(item, part, once=once)


def _contains(outer: Context, inner: Context) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line or outer.line, outer.end_column or 0)
    return start <= (inner.line, inner.column) < end and outer is not inner
