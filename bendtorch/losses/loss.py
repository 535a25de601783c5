"""What a loss is: a function of the model's output and a target, with its gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bendtorch.shapes.spec import Spec

Y = TypeVar("Y")
Target = TypeVar("Target")


@dataclass(slots=True)
class LossOut(Generic[Y]):
    """The mean loss over the batch, and its gradient with respect to the output."""

    loss: float
    dy: Y


@dataclass(frozen=True)
class Loss(Generic[Y, Target]):
    """A loss over outputs `Y` and targets `Target`.

    `grad(y, target)` gives the loss and the gradient of `y`; `value(y, target)` the loss alone. Both are pure.
    `takes` and `wants` are the shapes of both, None where they are not known: the laws draw arrays of them.
    `grad_over`, where a loss has it, is `grad` for an output that nobody else has: its gradient may take its memory.
    Law L36: the gradient is the derivative of the value.
    """

    name: str
    grad: Callable[[Y, Target], LossOut[Y]]
    value: Callable[[Y, Target], float]
    takes: Spec | None = None
    wants: Spec | None = None
    grad_over: Callable[[Y, Target], LossOut[Y]] | None = None

    def __call__(self, y: Y, target: Target) -> LossOut[Y]:
        """The loss and its gradient."""
        return self.grad(y, target)

    def __str__(self) -> str:
        return self.name
