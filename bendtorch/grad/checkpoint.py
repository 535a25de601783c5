"""checkpoint: a function whose values in between are not kept; its backward pass runs it again.

Memory for time: of `depth` blocks with a checkpoint each, one block's values are there at a time. The function must
give the same each time; kernels do, and random operations take keys, so the bits are those without a checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.grad.graph import Graph
from bendtorch.grad.lazy import Lazy, force, leaf
from bendtorch.grad.rule import Fused, Rule
from bendtorch.grad.tape import Tape, guard_list
from bendtorch.grad.var import Var
from bendtorch.grad.walk import pull
from bendtorch.shapes.arguments import expect_function

Program: TypeAlias = "Callable[[Graph, list[Var]], Var | Graph]"
"""What computes a value on a graph from Vars of it: it gives the value, or the graph with the value last on it."""


class Checkpoint(Fused):
    """A program as one operation."""

    __slots__ = ("active", "like", "program")
    name = "checkpoint"

    def __init__(self, program: Program, like: Tape, active: Sequence[bool]) -> None:
        self.program, self.active = program, active
        self.like = Graph(records=False, like=like)  # its precision, as it is now

    def value(self, *xs: Lazy) -> Lazy:
        """The result alone. The program is recorded all the same, for it may ask for gradients."""
        (result,) = force(self._afresh(xs)[0].lazy)
        return leaf(result)

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """The program once more, recorded, and backward."""
        result, leaves = self._afresh([x.lazy for x in xs])
        gradients = pull(result, d) if result.active else {}
        return [gradients.get(x.id) for x in leaves]

    def definition(self, *xs: Var) -> Var:
        """The program on the tape itself."""
        tape = xs[0].graph
        assert isinstance(tape, Graph)
        return _run(self.program, tape, list(xs))

    def _afresh(self, xs: Sequence[Lazy]) -> tuple[Var, list[Var]]:
        """The program on a fresh graph: its result, and its leaves."""
        tape = Graph(like=self.like)
        leaves = [tape.hold(x, active) for x, active in zip(xs, self.active, strict=True)]
        return _run(self.program, tape, leaves), leaves


def _run(program: Program, tape: Graph, xs: list[Var]) -> Var:
    """The program's result; where it gives the graph, the last value that was recorded on it."""
    last: list[Var] = []
    before = tape.watchers, tape.precision

    def note(result: Var, rule: Rule, inputs: tuple[Var, ...]) -> Var:
        if result.graph is tape:  # what it computes may be recorded on tapes like this one
            last[:] = [result]
        return result

    tape.watchers += (note,)
    try:
        result = program(tape, xs)
    finally:
        tape.watchers, tape.precision = before
    if result is tape and last:
        return last.pop()
    if not isinstance(result, Var) or result.graph is not tape:
        raise ConfigError(
            "checkpoint: the function must give a Var of the graph that it was given, or that graph with the result"
            f" last, got {type(result).__name__}"
        )
    return result


def checkpoint(inputs: Sequence[Var], f: Program) -> Var:
    """`f(graph, xs)` of the inputs, without keeping what it computes in between.

    `f` gets a fresh graph and the inputs as its leaves, and gives the result, or that graph with the result last on it.
    It must use no Var from outside: what it needs is among the inputs. It is run once forward, and once more in a
    backward pass, with equal bits.

    Raises `ConfigError` when it gives anything else, or is no function.
    """
    xs = guard_list("checkpoint", "inputs", inputs)
    if not xs:
        raise ConfigError("checkpoint: expected at least one input")
    expect_function("checkpoint", "f", f, "a function f(graph, xs) that gives a Var")
    tape = xs[0].graph
    return tape.record(Checkpoint(f, tape, [x.active for x in xs]), *xs)
