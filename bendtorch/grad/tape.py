"""The tape itself: it makes Vars, and records what they were computed from.

A tape that does not record gives Vars without a past. Backward passes run on one, so that the rules of derivatives are
written once, on Vars, whether their operations are kept to be differentiated again or not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, DtypeError
from bendtorch.grad.lazy import Lazy, known, value
from bendtorch.grad.rule import Rule
from bendtorch.grad.var import Array, Var

if TYPE_CHECKING:
    from bendtorch.grad.precision import Precision

Watcher: TypeAlias = "Callable[[Var, Rule, tuple[Var, ...]], Var]"

_numbers: Final = itertools.count()


def next_number() -> int:
    """A number above that of every Var so far: Vars are numbered in the order they are made."""
    return next(_numbers)


class Tape:
    """A tape. `records` says whether its Vars keep their past; `precision` is what products compute in (`autocast`).

    Each of `watchers` is called with every result, its rule and its inputs, and gives what is recorded instead.
    """

    __slots__ = ("precision", "records", "watchers")

    def __init__(self, records: bool = True, like: Tape | None = None) -> None:
        self.records = records
        self.precision: Precision | None = None if like is None else like.precision
        self.watchers: tuple[Watcher, ...] = () if like is None else like.watchers

    def record(self, rule: Rule, *xs: Var) -> Var:
        """The result of an operation on Vars of this tape."""
        active = False
        for x in xs:
            if x.graph is not self:
                raise _stranger(rule.name, x)
            active = active or x.active
        lazy = rule.value(*[x.lazy for x in xs])
        if active and self.records:
            result = Var(self, lazy, True, next(_numbers), rule, xs)
        else:
            result = Var(self, lazy, False, next(_numbers))
        for watcher in self.watchers:
            result = watcher(result, rule, xs)
        return result

    def record1(self, rule: Rule, x: Var) -> Var:
        """`record` for one operand, which most operations have: it takes less time."""
        if self.watchers or x.graph is not self:
            return self.record(rule, x)
        if x.active and self.records:
            return Var(self, rule.value(x.lazy), True, next(_numbers), rule, (x,))
        return Var(self, rule.value(x.lazy), False, next(_numbers))

    def record2(self, rule: Rule, x: Var, y: Var) -> Var:
        """`record` for two operands."""
        if self.watchers or x.graph is not self or y.graph is not self:
            return self.record(rule, x, y)
        if (x.active or y.active) and self.records:
            return Var(self, rule.value(x.lazy, y.lazy), True, next(_numbers), rule, (x, y))
        return Var(self, rule.value(x.lazy, y.lazy), False, next(_numbers))

    def hold(self, lazy: Lazy, active: bool = False) -> Var:
        """A value of no past: a constant, or an input where it is active."""
        return Var(self, lazy, active, next(_numbers))


def array_of(x: Var) -> Array:
    """The numbers of a Var, computed now where they are still an expression."""
    array: Array = value(x.lazy)
    return array


def held(beside: Var, *arrays: Array) -> list[Var | None]:
    """Arrays that an operation has just made as values of no past, on the tape of a Var."""
    return [beside.graph.hold(known(array)) for array in arrays]


def guard_vars(operation: str, *xs: Any) -> None:
    """Refuse what is no Var."""
    for x in xs:
        if not isinstance(x, Var):
            raise DtypeError(
                f"{operation}: expected a Var, got {type(x).__name__}; put an array on the tape with graph.input(array)"
                " or graph.constant(array)"
            )


def guard_list(operation: str, argument: str, xs: Any) -> tuple[Var, ...]:
    """The Vars of a list, or of anything that gives them one by one; refuses a Var where a list belongs."""
    if isinstance(xs, np.ndarray) or not isinstance(xs, Iterable):
        raise DtypeError(
            f"{operation}: {argument} must be a list of Vars, got {type(xs).__name__}; for one Var v it is [v]"
        )
    vs = tuple(xs)
    guard_vars(operation, *vs)
    return vs


def _stranger(operation: str, x: Var) -> ConfigError:
    return ConfigError(
        f"{operation}: {x!r} belongs to another graph; take its array, graph.value(v), and put it on this one"
        " with graph.constant(array)"
    )


def guard_on(tape: Tape, operation: str, *xs: Any) -> None:
    """Refuse what is no Var of this tape."""
    guard_vars(operation, *xs)
    for x in xs:
        if x.graph is not tape:
            raise _stranger(operation, x)


def read_only(array: Array) -> Array:
    """A view that cannot be written to: the array may be a value on a tape, or several gradients."""
    view = array.view()
    view.flags.writeable = False
    return view
