"""Var: a value on a tape, with the operators of arithmetic.

    y = 2 * x + bias        numbers and float32 arrays stand on either side; shapes broadcast as numpy's
    z = y @ w               matrices: (…, m, k)·(k, n), and (b, m, k)·(b, k, n)

A Var refers to the Vars it was computed from, and the tape to none: what nobody needs any more is freed at once, and
does not wait for the garbage collector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import DtypeError
from bendtorch.grad.guards import LARGEST, guard_array, guard_number
from bendtorch.grad.lazy import Lazy, Op, constant, known
from bendtorch.grad.rule import Elementwise, Rule

if TYPE_CHECKING:
    from bendtorch.grad.precision import Float
    from bendtorch.grad.tape import Tape

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Number: TypeAlias = "float | np.floating[Any] | np.integer[Any]"
Operand: TypeAlias = "Var | Array | Number"

ADD: Final = Elementwise("add", Op.ADD, (lambda d, x, y, z: d, lambda d, x, y, z: d))
SUB: Final = Elementwise("sub", Op.SUB, (lambda d, x, y, z: d, lambda d, x, y, z: -d))
MUL: Final = Elementwise("mul", Op.MUL, (lambda d, x, y, z: d * y, lambda d, x, y, z: d * x))
DIV: Final = Elementwise("div", Op.DIV, (lambda d, x, y, z: d / y, lambda d, x, y, z: -d * (z / y)))
NEG: Final = Elementwise("neg", Op.NEG, (lambda d, x, z: -d,))


OTHER: Final = "the other operand"


class Var:
    """A value on a tape; operations take and give Vars. `shape` is its shape, and the tape's `value` reads it.

    `active` says whether it depends on an input: no gradient is computed for what does not.
    """

    __slots__ = ("active", "graph", "id", "inputs", "lazy", "rule")
    __array_ufunc__ = None  # numpy's operators leave an array beside a Var to the Var
    precision: Float | None = None  # of its numbers, where that is narrower than float32

    def __init__(
        self, graph: Tape, lazy: Lazy, active: bool, number: int, rule: Rule | None = None, inputs: Sequence[Var] = ()
    ) -> None:
        self.graph = graph
        self.lazy = lazy
        self.active = active
        self.id = number
        self.rule = rule
        self.inputs = inputs

    def on(self, tape: Tape) -> Var:
        """The same value on another tape, without its past. It stays active where its gradient is wanted."""
        return Var(tape, self.lazy, self.active, self.id)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.lazy.shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.lazy.shape)

    def __add__(self, other: Operand) -> Var:
        return self.graph.record2(ADD, self, other if type(other) is Var else beside(self, other, "add"))

    def __radd__(self, other: Operand) -> Var:
        return self.graph.record2(ADD, beside(self, other, "add"), self)

    def __sub__(self, other: Operand) -> Var:
        return self.graph.record2(SUB, self, other if type(other) is Var else beside(self, other, "sub"))

    def __rsub__(self, other: Operand) -> Var:
        return self.graph.record2(SUB, beside(self, other, "sub"), self)

    def __mul__(self, other: Operand) -> Var:
        return self.graph.record2(MUL, self, other if type(other) is Var else beside(self, other, "mul"))

    def __rmul__(self, other: Operand) -> Var:
        return self.graph.record2(MUL, beside(self, other, "mul"), self)

    def __truediv__(self, other: Operand) -> Var:
        return self.graph.record2(DIV, self, other if type(other) is Var else beside(self, other, "div"))

    def __rtruediv__(self, other: Operand) -> Var:
        return self.graph.record2(DIV, beside(self, other, "div"), self)

    def __neg__(self) -> Var:
        return self.graph.record1(NEG, self)

    def __matmul__(self, other: Operand) -> Var:
        from bendtorch.grad.products import matmul  # noqa: PLC0415  it is made of operations, so it comes after Vars

        return matmul(self, other)

    def __rmatmul__(self, other: Operand) -> Var:
        from bendtorch.grad.products import matmul  # noqa: PLC0415

        return matmul(other, self)

    def __bool__(self) -> bool:
        raise DtypeError(f"{self!r} is no truth value; read the number with float(graph.value(v))")

    def __repr__(self) -> str:
        made = f" = {self.rule.name}" if self.rule is not None else "" if self.active else ", a constant"
        return f"Var({list(self.shape)}{made})"


def beside(one: Var, other: Operand, operation: str) -> Var:
    """The other operand as a Var: a number or an array is a constant on the tape of the one."""
    if type(other) is float:
        in_range = -LARGEST <= other <= LARGEST
        return one.graph.hold(constant(other if in_range else guard_number(other, operation, OTHER)))
    if isinstance(other, Var):
        return other
    if isinstance(other, np.ndarray):
        return one.graph.hold(known(guard_array(other, operation, OTHER)))
    return one.graph.hold(constant(guard_number(other, operation, OTHER)))
