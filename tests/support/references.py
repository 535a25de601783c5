"""Layers and the loss in float64 numpy: the judges of the package's float32.

Beside each value stands a bound of the error that float32 arithmetic may make. A sum of k products in any order is
within (k + 1)·u of the exact one, taken relative to the sum of the products' magnitudes (Higham, Accuracy and
Stability of Numerical Algorithms, section 3.1), with u = 2^-24; a few roundings more are allowed for what is added
afterwards. Elementwise layers must be exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

F64: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

UNIT: Final = 2.0**-24
TINY: Final = 1e-44  # a few of the smallest subnormals, for products that underflow


@dataclass(frozen=True)
class Bounded:
    """A float64 value and the error that float32 may have."""

    value: F64
    bound: F64

    def holds(self, actual: Any) -> bool:
        """Whether a float32 result is within the bound."""
        return actual.shape == self.value.shape and bool(
            np.all(np.abs(actual.astype(np.float64) - self.value) <= self.bound)
        )


@dataclass(frozen=True)
class Gradients:
    """What a backward pass gives into a zero gradient."""

    dx: Bounded
    dp: tuple[Bounded, ...]


@dataclass(frozen=True)
class Reference:
    """A layer in float64, and what is particular to it.

    `forward(parameters, x)` and `backward(parameters, x, dy)` take float64 arrays. `linear`: the backward pass does not
    depend on x. `input_gradient`: dx is the gradient, not zeros. `propagates_nan`: a NaN in a row of the input is seen
    in that row of the output.
    """

    forward: Callable[[tuple[F64, ...], F64], Bounded]
    backward: Callable[[tuple[F64, ...], F64, F64], Gradients]
    linear: bool = False
    input_gradient: bool = True


def product(a: F64, b: F64, more: int = 0) -> Bounded:
    """a·b, and the bound of a float32 product with `more` roundings after it."""
    terms = a.shape[1] + 1 + more
    return Bounded(a @ b, terms * UNIT * (np.abs(a) @ np.abs(b)) + terms * TINY)


def exact(value: F64) -> Bounded:
    """A value that float32 must give exactly."""
    return Bounded(value, np.zeros(value.shape))


def column_sums(dy: F64) -> Bounded:
    """Sums taken in float64 and rounded once."""
    total = dy.sum(axis=0, keepdims=True)
    return Bounded(total, UNIT * np.abs(total) + 2.0**-45 * np.abs(dy).sum(axis=0, keepdims=True))


def _linear_forward(p: tuple[F64, ...], x: F64) -> Bounded:
    weight, bias = p
    y = product(x, weight.T, more=1)
    return Bounded(y.value + bias, y.bound + UNIT * np.abs(bias))


def _linear_backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
    return Gradients(product(dy, p[0]), (product(dy.T, x), column_sums(dy)))


def _linear_first_backward(p: tuple[F64, ...], x: F64, dy: F64) -> Gradients:
    return Gradients(exact(np.zeros(x.shape)), _linear_backward(p, x, dy).dp)


LINEAR: Final = Reference(_linear_forward, _linear_backward, linear=True)
LINEAR_FIRST: Final = Reference(_linear_forward, _linear_first_backward, linear=True, input_gradient=False)
LINEAR_NB: Final = Reference(
    lambda p, x: product(x, p[0].T),
    lambda p, x, dy: Gradients(product(dy, p[0]), (product(dy.T, x),)),
    linear=True,
)
RELU: Final = Reference(
    lambda p, x: exact(np.where(x < 0, 0.0, x)),
    lambda p, x, dy: Gradients(exact(np.where(x <= 0, 0.0, dy)), ()),
)


def cross_entropy(y: Any, target: Any) -> tuple[float, F64]:
    """The mean cross-entropy and the gradient of the logits, in float64."""
    logits = y.astype(np.float64)
    shifted = logits - logits.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    n = len(logits)
    loss = float(np.mean(np.log(total[:, 0]) - shifted[np.arange(n), target]))
    gradient = np.exp(shifted) / total
    gradient[np.arange(n), target] -= 1
    return loss, gradient / n


def optimizer_step(kind: str, t: int, w: F64, g: F64, m: F64, v: F64, **c: float) -> tuple[F64, F64, F64]:
    """Step `t` (from 1) of SGD, Momentum, Adam or AdamW in float64: the new weights and moments."""
    if kind == "SGD":
        return w - c["lr"] * g, m, v
    if kind == "Momentum":
        m = c["momentum"] * m + g
        return w - c["lr"] * m, m, v
    decay = c["weight_decay"]
    if kind == "AdamW":
        w = w * (1 - c["lr"] * decay)
    else:
        g = g + decay * w
    m = c["beta1"] * m + (1 - c["beta1"]) * g
    v = c["beta2"] * v + (1 - c["beta2"]) * g * g
    m_hat, v_hat = m / (1 - c["beta1"] ** t), v / (1 - c["beta2"] ** t)
    return w - c["lr"] * m_hat / (np.sqrt(v_hat) + c["eps"]), m, v
