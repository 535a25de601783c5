"""A moving average of the weights, often better than the last ones: a += (1 - decay)·(w - a) after each step."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.kernels.flat import approach
from bendtorch.layer.arguments import expect_layer
from bendtorch.layer.counter import counter_cells
from bendtorch.layer.protocol import Layer
from bendtorch.shapes.arguments import expect
from bendtorch.train.train import Train

P = TypeVar("P")


class Average(Generic[P]):
    """The average `p` of a run's weights; it starts as a copy of them. Counters are not averaged: they are the last.

        average = Average(model, train, decay=0.999)
        ...
        train.step(...)
        average.update(train)
        model.eval().fwd(average.p, x)

    PyTorch's `AveragedModel` with `get_ema_multi_avg_fn(decay)`.
    """

    def __init__(self, model: Layer[P, Any, Any, Any], train: Train[P], decay: float = 0.999) -> None:
        expect_layer("Average", model)
        expect("Average", "train", train, Train, "a run, such as Train.new(model, optimizer, p)")
        if isinstance(decay, bool) or not isinstance(decay, (int, float)) or not 0 <= decay <= 1:
            raise ConfigError(f"Average: decay must be a number from 0 to 1, got {decay!r}")
        self.model, self.decay = model, float(decay)
        self.flat = model.dump(train.p)
        self._counters = counter_cells(model.leaves)

    @property
    def p(self) -> P:
        """The averaged parameters: views of the average where the model has them, else a copy."""
        if self.model.view is not None:
            return self.model.view(self.flat, 0)
        p = self.model.zeros()
        self.model.load(p, self.flat, 0)
        return p

    def update(self, train: Train[P]) -> None:
        """Take in the weights after a step."""
        w = self.model.dump(train.p) if train.flat is None else train.flat.w
        if w.shape != self.flat.shape:
            raise ShapeError(f"Average: made for {self.flat.size} numbers, got {w.size}; is it another model's run?")
        counts = w[self._counters]
        approach(self.flat, w, np.float32(1 - self.decay))
        self.flat[self._counters] = counts
