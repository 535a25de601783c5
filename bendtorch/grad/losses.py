"""Losses: cross-entropy against labels, and against probabilities of the classes.

    cross_entropy(logits, labels)           mean over the rows of -log softmax(logits)[label]
    softmax_cross_entropy(logits, target)   mean over the rows of -Σ target·log softmax(logits)

The first is the kernel of the loss `CrossEntropy`, which finds value and gradient in one reading of the logits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.grad.arrays import new_array
from bendtorch.grad.elementwise import where
from bendtorch.grad.lazy import Lazy, force, known, leaf
from bendtorch.grad.reductions import sum as total
from bendtorch.grad.rule import Fused
from bendtorch.grad.softmax import log_softmax
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Array, Operand, Var, beside
from bendtorch.kernels.cross_entropy import cross_entropy as kernel
from bendtorch.losses.labels import Classes, classes

OTHER_ROWS: Final = "embedding(logits, np.flatnonzero(labels != -100)) are the other rows"


class CrossEntropyRule(Fused):
    """Cross-entropy against labels. `wanted` says whether the gradient is found with the value."""

    __slots__ = ("gradient", "labels", "targets", "wanted")
    name = "cross_entropy"

    def __init__(self, labels: Classes, targets: Any, wanted: bool) -> None:
        self.labels, self.targets, self.wanted = labels, targets, wanted
        self.gradient: Array | None = None

    def value(self, *xs: Lazy) -> Lazy:
        """The loss, now; the gradient beside it."""
        (logits,) = force(*xs)
        y, targets = self.labels.check(logits, self.targets, "labels", OTHER_ROWS)
        gradient = new_array(logits.shape if self.wanted else (0, logits.shape[1]))
        loss = kernel(y, targets, self.labels.weights, self.labels.ignored, 0.0, 1.0, gradient)
        self.gradient = gradient if self.wanted else None
        return known(np.array(loss, np.float32))

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """(softmax - onehot) / n, times d."""
        assert self.gradient is not None
        return [d * d.graph.hold(known(self.gradient))]

    def definition(self, *xs: Var) -> Var:
        """Through log-softmax."""
        (logits,) = xs
        hits = np.zeros(logits.shape, np.float32)
        hits[np.arange(len(hits)), self.targets] = 1
        return -total(where(logits.graph.hold(leaf(hits)), log_softmax(logits), 0.0)) / len(hits)


def cross_entropy(logits: Var, labels: Any) -> Var:
    """The mean over the rows of the softmax cross-entropy of logits (rows, classes) at integer labels.

    Raises `IndexRangeError` for a label that is no class, `ShapeError` for an empty batch or shapes that do not fit.
    """
    guard_vars("cross_entropy", logits)
    if logits.ndim != 2:
        raise ShapeError(f"cross_entropy: logits must be (rows, classes), got the shape {list(logits.shape)}")
    n, c = logits.shape
    tape = logits.graph
    if not isinstance(labels, np.ndarray):
        raise DtypeError(f"cross_entropy: labels must be a numpy array of ids, got {type(labels).__name__}")
    rule = CrossEntropyRule(classes("cross_entropy", n, c, None, None), labels, logits.active and tape.records)
    return tape.record1(rule, logits)


def softmax_cross_entropy(logits: Var, target: Operand) -> Var:
    """The mean over the rows of -Σ target·log softmax(logits), both (rows, classes); the target may be soft.

    PyTorch's `F.cross_entropy(logits, target)` for probabilities. Raises `ShapeError` for other or different shapes.
    """
    guard_vars("softmax_cross_entropy", logits)
    target = beside(logits, target, "softmax_cross_entropy")
    if logits.ndim != 2 or target.shape != logits.shape or not logits.shape[0]:
        raise ShapeError(
            "softmax_cross_entropy: logits and target must both be (rows, classes), with at least one row, got the"
            f" shapes {list(logits.shape)} and {list(target.shape)}"
        )
    return -total(target * log_softmax(logits)) / logits.shape[0]
