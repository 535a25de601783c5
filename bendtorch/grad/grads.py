"""Grads: the gradients that a backward pass found, by Var."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from bendtorch.grad.lazy import Lazy, constant, force
from bendtorch.grad.tape import Tape, guard_on, read_only
from bendtorch.grad.var import Array, Var
from bendtorch.grad.walk import pull


class Grads:
    """The gradients of a result with respect to the values before it.

    What the result does not depend on has a gradient of zeros, and so has a constant.

    The gradients of inputs are there; that of a value in between is not kept, and asking for it takes another backward
    pass down to it, with the same bits, unless `backward` was told to keep it.
    """

    __slots__ = ("_found", "_output", "_seed")

    def __init__(self, output: Var, seed: Lazy, kept: Collection[Var] = ()) -> None:
        self._output, self._seed = output, seed
        found = _pulled(output, seed, 0, [v.id for v in kept])
        self._found = {number: d.lazy for number, d in found.items()}

    def of(self, v: Var) -> Array:
        """The gradient of `v`, an array of its shape that cannot be written to.

        The first call computes what is not yet computed of every input's gradient, so that parameters may be stepped
        in place as their gradients are read.
        """
        gradient = self._of(v, "of")
        if gradient is None:
            return read_only(np.zeros(v.shape, np.float32))
        if gradient.value is None:
            force(gradient, *self._found.values())
        array: Array = force(gradient)[0]
        return read_only(array)

    def pending(self, v: Var) -> Lazy:
        """The gradient as an expression that may not be computed yet: an optimizer extends it to its update.

        It is computed from the values on the tape, so nothing may change the arrays of the inputs before.
        """
        gradient = self._of(v, "pending")
        return constant(0.0, v.shape) if gradient is None else gradient

    def _of(self, v: Var, operation: str) -> Lazy | None:
        guard_on(self._output.graph, f"Grads.{operation}", v)
        found = self._found.get(v.id)
        if found is not None or v.rule is None or v.id > self._output.id:
            return found
        again = _pulled(self._output, self._seed, v.id, [v.id]).get(v.id)
        return None if again is None else again.lazy

    def __repr__(self) -> str:
        return f"Grads of {self._output!r}"


def _pulled(output: Var, seed: Lazy, first: int, kept: Collection[int]) -> dict[int, Var]:
    """A backward pass that records nothing."""
    silent = Tape(records=False, like=output.graph)
    return pull(output, silent.hold(seed), first, kept) if output.active else {}
