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
LARGEST: Final = float(np.finfo(np.float32).max)
TINY: Final = 1e-44  # a few of the smallest subnormals, for products that underflow


@dataclass(frozen=True)
class Bounded:
    """A float64 value and the error that float32 may have."""

    value: F64
    bound: F64

    def holds(self, actual: Any) -> bool:
        """Whether a float32 result is within the bound; NaN and infinities must stand where the value has them.

        A value beyond float32 must be infinite; at the very edge it may be either. Where the bound is no number, as of
        a sum in which an infinity has no part, any finite result is within it.
        """
        if actual.shape != self.value.shape:
            return False
        size, bound = np.abs(self.value), np.where(np.isfinite(self.bound), self.bound, 0)
        with np.errstate(invalid="ignore"):
            near = np.abs(actual.astype(np.float64) - self.value) <= bound
        infinite = np.isinf(actual) & (np.sign(actual) == np.sign(self.value))
        finite = np.isfinite(actual) & (near | ~np.isfinite(self.bound)) | infinite & (size + bound > LARGEST)
        wanted = np.where(size - bound > LARGEST, infinite, finite)
        return bool(np.all(np.where(np.isnan(self.value), np.isnan(actual), wanted)))


Nest: TypeAlias = Any
"""What a layer takes or gives in float64 (ids as int64): an array, or a tuple of such. Of results: of `Bounded`."""


@dataclass(frozen=True)
class Gradients:
    """What a backward pass gives into a zero gradient. `dx` is a nest like x, with None in the place of ids."""

    dx: Nest
    dp: tuple[Bounded, ...] = ()

    @property
    def all(self) -> list[Bounded]:
        """Those of the input, then those of the parameters."""
        return [*bounded_in(self.dx), *self.dp]


@dataclass(frozen=True)
class Reference:
    """A layer in float64, and what is particular to it.

    `forward(parameters, x)` and `backward(parameters, x, dy)` take float64 arrays, x and dy in the nests that the layer
    takes and gives, and give nests of `Bounded`. The properties say which checks apply:

    - `linear`: the backward pass does not depend on x (L29).
    - `input_gradient`: dx is the gradient, not zeros.
    - `by_element`: each element of the batch (a row, a sequence, an image) is worked on by itself, so that a batch may
      be split (L31, L52), and NaN or infinity in one does not reach another.
    - `special`: NaN and infinities in the results stand where this reference has them.
    - `fresh`: y is never the memory of x or of a parameter.
    """

    forward: Callable[[tuple[F64, ...], Nest], Nest]
    backward: Callable[[tuple[F64, ...], Nest, Nest], Gradients]
    linear: bool = False
    input_gradient: bool = True
    by_element: bool = True
    special: bool = True
    fresh: bool = True


def bounded_in(nest: Nest) -> list[Bounded]:
    """The values of a nest in order; ids have none."""
    if isinstance(nest, tuple):
        return [bounded for part in nest for bounded in bounded_in(part)]
    return [] if nest is None else [nest]


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
    decay = c["weight_decay"]
    if kind in {"SGD", "Momentum"}:
        g = g + decay * w
    if kind == "SGD":
        return w - c["lr"] * g, m, v
    if kind == "Momentum":
        m = c["momentum"] * m + g
        return w - c["lr"] * (g + c["momentum"] * m if c["nesterov"] else m), m, v
    if kind in {"AdamW", "PackedAdamW"}:
        w = w * (1 - c["lr"] * decay)
    else:
        g = g + decay * w
    m = c["beta1"] * m + (1 - c["beta1"]) * g
    v = c["beta2"] * v + (1 - c["beta2"]) * g * g
    m_hat, v_hat = m / (1 - c["beta1"] ** t), v / (1 - c["beta2"] ** t)
    return w - c["lr"] * m_hat / (np.sqrt(v_hat) + c["eps"]), m, v
