"""The optimizers that a user picks: immutable configurations, validated when they are built.

`config.at(step)` gives the numbers of one step (`Opt`), from the count of steps alone. The learning rate is a number or
a function of the step (`schedule`). Adam's corrections are taken in float64 and rounded once, as PyTorch does:
`1 - beta2` taken in float32 is 1.3e-5 off at beta2 = 0.999, which puts a small Llama 21 times further from the exact
result over 100 steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.optim.at import AdamAt, MomentumAt, SGDAt
from bendtorch.optim.schedule import Schedule


def _require(name: str, holds: bool, what: str, value: object) -> None:
    if not holds:
        raise ConfigError(f"{name}: {what}, got {value}")


def _numbers(name: str, **values: object) -> None:
    for what, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ConfigError(f"{name}: {what} must be a number, got {type(value).__name__} {value!r}")


def _at_least_0(name: str, **values: float) -> None:
    _numbers(name, **values)
    for what, value in values.items():
        _require(name, math.isfinite(value) and value >= 0, f"{what} must be a finite number of at least 0", value)


def _rate(name: str, lr: float | Schedule) -> None:
    if isinstance(lr, type):
        raise ConfigError(f"{name}: lr must be a number or a schedule, got the class {lr.__name__}; call it first")
    if not callable(lr):
        _at_least_0(name, lr=lr)


def rate_at(name: str, lr: float | Schedule, step: int) -> float:
    """The learning rate of step `step`, counted from 1. Raises `ConfigError` for an impossible one."""
    if not callable(lr):
        return lr
    rate = lr(step)
    _at_least_0(f"{name}: the schedule at step {step}", lr=rate)
    return rate


@dataclass(frozen=True)
class SGD:
    """Gradient descent: `w -= lr * (g + weight_decay * w)` (PyTorch's `SGD`).

    Laws: L39 to L41, L44, L45, L49.
    """

    lr: float | Schedule
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        _rate("SGD", self.lr)
        _at_least_0("SGD", weight_decay=self.weight_decay)

    def at(self, step: int) -> SGDAt:
        """The numbers of step `step`, counted from 1."""
        return SGDAt(rate_at("SGD", self.lr, step), self.weight_decay)


@dataclass(frozen=True)
class Momentum:
    """Gradient descent with momentum: `m = momentum * m + g; w -= lr * m` (PyTorch's `SGD(momentum=...)`).

    With `nesterov`, `w -= lr * (g + momentum * m)`. Weight decay is added to the gradient, `g + weight_decay * w`.

    Laws: L39 to L41, L44, L45, L49.
    """

    lr: float | Schedule
    momentum: float = 0.9
    weight_decay: float = 0.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        _rate("Momentum", self.lr)
        _at_least_0("Momentum", weight_decay=self.weight_decay)
        _numbers("Momentum", momentum=self.momentum)
        _require("Momentum", 0 <= self.momentum < 1, "momentum must be in [0, 1)", self.momentum)

    def at(self, step: int) -> MomentumAt:
        """The numbers of step `step`, counted from 1."""
        return MomentumAt(rate_at("Momentum", self.lr, step), self.momentum, self.weight_decay, self.nesterov)


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba, 2015), with weight decay added to the gradient: PyTorch's `Adam`.

    `one_minus_beta1` and `one_minus_beta2` follow from the betas; where they are given, they must agree with them to
    within 2^-23.

    Laws: L39 to L41, L44, L45, L49.
    """

    lr: float | Schedule = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    weight_decay: float = 0.0
    one_minus_beta1: float | None = None
    one_minus_beta2: float | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        _rate(name, self.lr)
        _numbers(name, beta1=self.beta1, beta2=self.beta2)
        _at_least_0(name, eps=self.eps, weight_decay=self.weight_decay)
        for number, beta, rest in ((1, self.beta1, self.one_minus_beta1), (2, self.beta2, self.one_minus_beta2)):
            _require(name, 0 <= beta < 1, f"beta{number} must be in [0, 1)", beta)
            agrees = rest is None or abs((1 - beta) - rest) <= 2.0**-23
            _require(name, agrees, f"one_minus_beta{number} must be 1 - {beta} = {1 - beta:.9g} to within 2^-23", rest)

    def at(self, step: int) -> AdamAt:
        """The numbers of step `step`, counted from 1."""
        lr = rate_at(type(self).__name__, self.lr, step)
        return AdamAt(
            lr=lr,
            beta2=self.beta2,
            eps=self.eps,
            weight_decay=self.weight_decay,
            decoupled=isinstance(self, AdamW),
            step_size=lr / (1 - self.beta1**step),
            denominator=math.sqrt(1 - self.beta2**step),
            one_minus_beta1=1 - self.beta1 if self.one_minus_beta1 is None else self.one_minus_beta1,
            one_minus_beta2=1 - self.beta2 if self.one_minus_beta2 is None else self.one_minus_beta2,
        )


@dataclass(frozen=True)
class AdamW(Adam):
    """Adam with decoupled weight decay, `w *= 1 - lr * weight_decay` (Loshchilov and Hutter, 2019).

    PyTorch's `AdamW`.

    Laws: L39 to L41, L44, L45, L49.
    """

    weight_decay: float = 0.01


@dataclass(frozen=True)
class PackedAdamW(AdamW):
    """AdamW whose moments are kept in bfloat16: both, or the first alone (`second=False`).

    Each is computed in float32, rounded to the nearest bfloat16, and used as rounded; weights and gradients stay
    float32. The state takes half of AdamW's memory, or three quarters. PyTorch's `AdamW` on bfloat16 state rounds after
    every operation instead.

    Laws: L39, L40, L44, L45, L49, L50.
    """

    second: bool = True


Optimizer: TypeAlias = SGD | Momentum | Adam | AdamW | PackedAdamW
OPTIMIZERS: Final = (SGD, Momentum, Adam)  # and what is made of them
