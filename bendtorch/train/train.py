"""Training state, and one step of any layer under any loss."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.kernels.flat import scale
from bendtorch.kernels.memory import ALONE, references
from bendtorch.layer.arguments import expect_layer, reading_params
from bendtorch.layer.counter import advance_cells, counter_cells
from bendtorch.layer.given import A_LAYER, require
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.optim.clip import Clip, ClipNorm, ClipValue, global_norm
from bendtorch.optim.config import Optimizer
from bendtorch.optim.groups import Bound, Grouped, bound, first_of
from bendtorch.optim.state import OptState, new_state
from bendtorch.shapes.arguments import expect
from bendtorch.train.flat import Flat, flatten, is_same
from bendtorch.train.recorded import Steps, arrays_of

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
Target = TypeVar("Target")


class Train(Generic[P]):
    """The state of a training run.

    Parameters `p`, gradient `g` (zero between steps), optimizer state `st`, the count of steps `t`, the last `loss`,
    the last `norm` of the gradient before clipping (NaN without clipping). Parameters, gradient and moments each live
    in one flat buffer, so that the optimizer's step is one kernel. A model with a layer that brings its own `step` is
    stepped part by part instead. Both give the same bits (L39).

    With `record`, which may be set at any time, the second step of a model and a loss writes down the kernel calls of
    its passes, and later ones make these calls again without the Python code between them (`recorded`): the same bits,
    sooner where a model is small. It changes nothing for models with layers of a user's, with Dropout, or of many
    numbers.

    A step updates the state in place. Models for other batch sizes share it: they have the same parameters' type.
    """

    def __init__(
        self,
        optimizer: Optimizer | Bound,
        p: P,
        g: P,
        st: OptState[P],
        flat: Flat | None = None,
        clip: Clip | None = None,
    ) -> None:
        self.optimizer, self.p, self.g, self.st, self.flat, self.clip = optimizer, p, g, st, flat, clip
        self.t = 0
        self.loss, self.norm = 0.0, math.nan
        self.weights: list[float] = []  # of the micro-batches collected since the last step
        self.record = False
        self.steps = Steps()  # those written down

    @staticmethod
    def new(
        model: Layer[P, X, Y, S],
        optimizer: Optimizer | Grouped,
        p: P,
        *,
        clip: Clip | None = None,
        record: bool = False,
    ) -> Train[P]:
        """The state before the first step. `p` is copied: training does not change the caller's parameters.

        `clip` bounds the gradient before each step (`ClipNorm`, `ClipValue`); `record` as above.
        """
        expect_layer("Train.new", model)
        expect("Train.new", "record", record, bool, "True or False")
        chosen = bound("Train.new", optimizer, model.leaves)
        with reading_params("Train.new", model, p):
            if p is None:
                raise TypeError("there are none")  # `of` would start from zeros
            train = Train.of(model, chosen, p, clip)
        train.record = record
        return train

    @staticmethod
    def of(model: Layer[P, X, Y, S], optimizer: Optimizer | Bound, p: P | None, clip: Clip | None) -> Train[P]:
        """`new` with an optimizer that is bound to the model's leaves; without `p`, all weights are zero."""
        if clip is not None:
            expect("Train.new", "clip", clip, (ClipNorm, ClipValue), "None, ClipNorm(1.0) or ClipValue(1.0)")
        plain = first_of(optimizer)
        flat = flatten(model, plain, p)
        if flat is not None:
            return Train(optimizer, flat.p, flat.g, flat.st, flat.buffers, clip)
        own = model.zeros()
        if p is not None:
            model.load(own, model.dump(p), 0)
        return Train(optimizer, own, model.zeros(), new_state(plain, model.zeros, model.count()), None, clip)

    def step(self, model: Layer[P, X, Y, S], loss: Loss[Y, Target], x: X, target: Target) -> float:
        """Forward, loss, backward and one optimizer step on the batch `(x, target)`; gives the loss before the step.

        A NaN in `x` or the parameters is not refused: it gives a loss of NaN, and the step makes the parameters NaN.
        Stop at the first loss that is not finite, or clip with `ClipNorm`, which then raises `NonFiniteError`.
        When it is interrupted or fails, the gradient is zero again: the next step does not see half of this one.
        """
        value = self.collect(model, loss, x, target)
        self.apply(model)
        return value

    def collect(
        self, model: Layer[P, X, Y, S], loss: Loss[Y, Target], x: X, target: Target, weight: float = 1.0
    ) -> float:
        """Add the gradient of one micro-batch; gives its loss. `apply` then steps with the weighted mean of them.

        With the number of examples (or of counted tokens) as the `weight`, the gradient is that of one large batch,
        however unequal the micro-batches are. Each draws its own dropout masks. When it is interrupted or fails, all
        that was collected is dropped.
        """
        require("Train.step", A_LAYER, Layer, model)
        require("Train.step", "a loss", Loss, loss)
        if not (isinstance(weight, (int, float)) and math.isfinite(weight) and weight > 0):
            raise ConfigError(f"collect: weight must be a finite number above 0, got {weight!r}")
        try:
            if self.weights:
                self._advance(model)
            again = self.record and self.flat is not None and not self.weights
            run = self._again if again else self._passes
            value = run(model, loss, x, target, weight)
        except BaseException:
            self.forget(model)
            raise
        self.weights.append(weight)
        self.loss = value
        return value

    def _passes(self, model: Layer[P, X, Y, S], loss: Loss[Y, Target], x: X, target: Target, weight: float) -> float:
        """The forward pass, the loss and the backward pass, which adds into the gradient."""
        forward = model.fwd(self.p, x)
        y, saved = forward.y, forward.s
        del forward
        grad = loss.grad_over if loss.grad_over is not None and references(y) == ALONE else loss.grad
        out = grad(y, target)
        del y  # large logits are not needed any more, or are the gradient now
        dy = scaled(out.dy, weight / self.weights[0]) if self.weights else out.dy
        self._take(model, model.bwd(self.p, saved, dy, self.g).g)
        return out.loss

    def _again(self, model: Layer[P, X, Y, S], loss: Loss[Y, Target], x: X, target: Target, weight: float) -> float:
        """The passes as they were written down, where they were; else run, and perhaps written down."""
        inputs = arrays_of((x, target))
        if inputs is None:
            return self._passes(model, loss, x, target, weight)
        passes = partial(self._passes, model, loss, x, target, weight)
        value = self.steps.run(model, loss, self.p, self.g, inputs, passes)
        if value is None:
            self.forget(model)
            return passes()
        return value

    def apply(self, model: Layer[P, X, Y, S]) -> None:
        """One optimizer step with the gradient collected so far, which comes back zeroed."""
        try:
            opt = self.optimizer.at(self.t + 1)
            self._finish(model)
            if self.flat is not None and getattr(model.step, "elementwise", False):
                self.flat.step(opt)
            else:
                stepped = model.step(opt, self.p, self.g, self.st)
                self.p, self.g, self.st = stepped.p, stepped.g, stepped.st
        except BaseException:
            self.forget(model)
            raise
        self.t += 1
        self.weights.clear()

    def gradient_norm(self, model: Layer[P, X, Y, S]) -> float:
        """The norm of the gradient that the next step would take, before clipping."""
        g = model.dump(self.g) if self.flat is None else self.flat.g
        share = self.weights[0] / math.fsum(self.weights) if len(self.weights) > 1 else 1.0
        return global_norm(g) * share

    def _finish(self, model: Layer[P, X, Y, S]) -> None:
        """Make the sum of the micro-batches' gradients their mean, and clip it."""
        if len(self.weights) < 2 and self.clip is None:
            return
        g = model.dump(self.g) if self.flat is None else self.flat.g
        if len(self.weights) > 1:
            scale(g, np.float32(self.weights[0] / math.fsum(self.weights)))
        if self.clip is not None:
            self.norm = self.clip(g)
        if self.flat is None:
            model.load(self.g, g, 0)

    def _advance(self, model: Layer[P, X, Y, S]) -> None:
        """Advance the counters, so that another micro-batch draws other masks."""
        if self.flat is not None:
            advance_cells(self.flat.w, self.flat.counters)
        elif places := counter_cells(model.leaves):
            flat = model.dump(self.p)
            advance_cells(flat, places)
            model.load(self.p, flat, 0)

    def forget(self, model: Layer[P, X, Y, S]) -> None:
        """Drop the gradient collected so far."""
        self.weights.clear()
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


def scaled(dy: Any, factor: float) -> Any:
    """A gradient of any nest of arrays, times a factor; ids have none and stay."""
    if isinstance(dy, tuple):
        return tuple(scaled(part, factor) for part in dy)
    return dy * np.float32(factor) if np.issubdtype(dy.dtype, np.floating) else dy
