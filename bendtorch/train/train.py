"""Training state, and one step of any layer under any loss."""

from __future__ import annotations

from typing import Generic, TypeVar

from bendtorch.errors import ConfigError
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.optim.config import SGD, Adam, Momentum, Optimizer
from bendtorch.optim.state import OptState, new_state
from bendtorch.train.flat import Flat, flatten, is_same

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
Target = TypeVar("Target")


class Train(Generic[P]):
    """The state of a training run.

    Parameters `p`, gradient `g` (zero between steps), optimizer state `st`, the count of steps `t`, the last `loss`.
    Parameters, gradient and moments each live in one flat buffer, so that the optimizer's step is one kernel. A model
    with a layer that brings its own `step` is stepped part by part instead. Both give the same bits (L39).

    A step updates the state in place. Models for other batch sizes share it: they have the same parameters' type.
    """

    def __init__(self, optimizer: Optimizer, p: P, g: P, st: OptState[P], flat: Flat | None = None) -> None:
        self.optimizer, self.p, self.g, self.st, self.flat = optimizer, p, g, st, flat
        self.t = 0
        self.loss = 0.0

    @staticmethod
    def new(model: Layer[P, X, Y, S], optimizer: Optimizer, p: P) -> Train[P]:
        """The state before the first step. `p` is copied: training does not change the caller's parameters."""
        if not isinstance(optimizer, (SGD, Momentum, Adam)):
            raise ConfigError(f"Train.new: expected an optimizer such as Adam(lr=1e-3), got {optimizer!r}")
        flat = flatten(model, optimizer, p)
        if flat is not None:
            return Train(optimizer, flat.p, flat.g, flat.st, flat.buffers)
        own = model.zeros()
        model.load(own, model.dump(p), 0)
        return Train(optimizer, own, model.zeros(), new_state(optimizer, model.zeros))

    def step(self, model: Layer[P, X, Y, S], loss: Loss[Y, Target], x: X, target: Target) -> float:
        """Forward, loss, backward and one optimizer step on the batch `(x, target)`; gives the loss before the step.

        When it is interrupted or fails, the gradient is zero again: the next step does not see half of this one.
        """
        forward = model.fwd(self.p, x)
        out = loss.grad(forward.y, target)
        try:
            self._take(model, model.bwd(self.p, forward.s, out.dy, self.g).g)
            self.loss = out.loss
            self.apply(model)
        except BaseException:
            self._forget(model)
            raise
        return out.loss

    def _forget(self, model: Layer[P, X, Y, S]) -> None:
        """Make the gradient zero."""
        if self.flat is None:
            self.g = model.zeros()
        else:
            self.flat.g.fill(0)

    def _take(self, model: Layer[P, X, Y, S], g: P) -> None:
        """Keep the gradient that a backward pass gave: it is what counts, whether or not it was added up in place."""
        if self.flat is None:
            self.g = g
        elif not is_same(g, self.g):
            model.store(g, self.flat.g, 0)

    def apply(self, model: Layer[P, X, Y, S]) -> None:
        """One optimizer step with the gradient collected so far, which comes back zeroed."""
        opt = self.optimizer.at(self.t + 1)
        if self.flat is not None and getattr(model.step, "elementwise", False):
            self.flat.step(opt)
        else:
            stepped = model.step(opt, self.p, self.g, self.st)
            self.p, self.g, self.st = stepped.p, stepped.g, stepped.st
        self.t += 1
