"""The optimizers that a user picks: immutable configurations, validated when they are built.

`config.at(step)` gives the numbers of one step (`Opt`), from the count of steps alone. Adam's corrections are taken in
float64 and rounded once, as PyTorch does: `1 - beta2` taken in float32 is 1.3e-5 off at beta2 = 0.999, which puts a
small Llama 21 times further from the exact result over 100 steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from bendtorch.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SGDAt:
    """Gradient descent at one step."""

    lr: float


@dataclass(frozen=True, slots=True)
class MomentumAt:
    """Gradient descent with momentum at one step."""

    lr: float
    momentum: float


@dataclass(frozen=True, slots=True)
class AdamAt:
    """Adam or AdamW (`decoupled`) at one step, with that step's corrections.

    `step_size` is `lr / (1 - beta1^t)` and `denominator` is `sqrt(1 - beta2^t)`, as PyTorch computes them.
    """

    lr: float
    beta2: float
    eps: float
    weight_decay: float
    decoupled: bool
    step_size: float
    denominator: float
    one_minus_beta1: float
    one_minus_beta2: float


Opt: TypeAlias = SGDAt | MomentumAt | AdamAt


def _require(name: str, holds: bool, what: str, value: object) -> None:
    if not holds:
        raise ConfigError(f"{name}: {what}, got {value}")


def _numbers(name: str, **values: object) -> None:
    for what, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ConfigError(f"{name}: {what} must be a number, got {type(value).__name__} {value!r}")


def _rate(name: str, lr: float) -> None:
    _numbers(name, lr=lr)
    _require(name, math.isfinite(lr) and lr >= 0, "lr must be a finite number of at least 0", lr)


@dataclass(frozen=True)
class SGD:
    """Gradient descent: `w -= lr * g` (PyTorch's `SGD`)."""

    lr: float

    def __post_init__(self) -> None:
        _rate("SGD", self.lr)

    def at(self, step: int) -> SGDAt:
        """The numbers of step `step`, counted from 1."""
        return SGDAt(self.lr)


@dataclass(frozen=True)
class Momentum:
    """Gradient descent with momentum: `m = momentum * m + g; w -= lr * m` (PyTorch's `SGD(momentum=...)`)."""

    lr: float
    momentum: float = 0.9

    def __post_init__(self) -> None:
        _rate("Momentum", self.lr)
        _numbers("Momentum", momentum=self.momentum)
        _require("Momentum", 0 <= self.momentum < 1, "momentum must be in [0, 1)", self.momentum)

    def at(self, step: int) -> MomentumAt:
        """The numbers of step `step`, counted from 1."""
        return MomentumAt(self.lr, self.momentum)


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, 2015), with weight decay added to the gradient: PyTorch's `Adam`.

    `one_minus_beta1` and `one_minus_beta2` follow from the betas; where they are given, they must agree with them to
    within 2^-23.
    """

    lr: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    weight_decay: float = 0.0
    one_minus_beta1: float | None = None
    one_minus_beta2: float | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        _rate(name, self.lr)
        _numbers(name, beta1=self.beta1, beta2=self.beta2, eps=self.eps, weight_decay=self.weight_decay)
        _require(name, math.isfinite(self.eps) and self.eps >= 0, "eps must be a finite number of at least 0", self.eps)
        decay = self.weight_decay
        _require(name, math.isfinite(decay) and decay >= 0, "weight_decay must be a finite number of at least 0", decay)
        for number, beta, rest in ((1, self.beta1, self.one_minus_beta1), (2, self.beta2, self.one_minus_beta2)):
            _require(name, 0 <= beta < 1, f"beta{number} must be in [0, 1)", beta)
            agrees = rest is None or abs((1 - beta) - rest) <= 2.0**-23
            _require(name, agrees, f"one_minus_beta{number} must be 1 - {beta} = {1 - beta:.9g} to within 2^-23", rest)

    def at(self, step: int) -> AdamAt:
        """The numbers of step `step`, counted from 1."""
        return AdamAt(
            lr=self.lr,
            beta2=self.beta2,
            eps=self.eps,
            weight_decay=self.weight_decay,
            decoupled=isinstance(self, AdamW),
            step_size=self.lr / (1 - self.beta1**step),
            denominator=math.sqrt(1 - self.beta2**step),
            one_minus_beta1=1 - self.beta1 if self.one_minus_beta1 is None else self.one_minus_beta1,
            one_minus_beta2=1 - self.beta2 if self.one_minus_beta2 is None else self.one_minus_beta2,
        )


@dataclass(frozen=True)
class AdamW(Adam):
    """Adam with decoupled weight decay, `w *= 1 - lr * weight_decay` (Loshchilov and Hutter, 2019).

    PyTorch's `AdamW`.
    """

    weight_decay: float = 0.01


Optimizer: TypeAlias = SGD | Momentum | Adam | AdamW
