"""Learning rates that change with the step, as functions of the step alone: a resumed run needs no state for them.

    AdamW(lr=CosineLR(peak=3e-4, steps=10_000, warmup=200))

Steps are counted from 1. A warm-up of k steps rises in equal parts and reaches the peak at step k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from bendtorch.errors import ConfigError


@runtime_checkable
class Schedule(Protocol):
    """A learning rate as a function of the step, counted from 1. Any function from an int to a float is one."""

    def __call__(self, step: int, /) -> float:
        """The learning rate of one step."""


def _rates(name: str, **values: float) -> None:
    for what, value in values.items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value < 0:
            raise ConfigError(f"{name}: {what} must be a finite number of at least 0, got {value!r}")


def _counts(name: str, least: int, why: str = "", /, **values: int) -> None:
    for what, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigError(f"{name}: {what} must be an int of at least {least}{why}, got {value!r}")


def _warming(peak: float, step: int, warmup: int) -> float:
    return peak * step / warmup


@dataclass(frozen=True)
class ConstantLR:
    """Always `lr`, after a warm-up."""

    lr: float
    warmup: int = 0

    def __post_init__(self) -> None:
        _rates("ConstantLR", lr=self.lr)
        _counts("ConstantLR", 0, warmup=self.warmup)

    def __call__(self, step: int, /) -> float:
        """The learning rate of one step."""
        return _warming(self.lr, step, self.warmup) if step < self.warmup else self.lr


@dataclass(frozen=True)
class LinearLR:
    """From `start` at step 0 in equal parts to `end` at step `steps`, then `end`: a warm-up or a decay by itself."""

    start: float
    end: float
    steps: int

    def __post_init__(self) -> None:
        _rates("LinearLR", start=self.start, end=self.end)
        _counts("LinearLR", 1, steps=self.steps)

    def __call__(self, step: int, /) -> float:
        """The learning rate of one step."""
        done = min(step / self.steps, 1.0)
        return self.start * (1 - done) + self.end * done


@dataclass(frozen=True)
class CosineLR:
    """A warm-up to `peak`, then half a cosine down to `floor` at step `steps` (Loshchilov and Hutter, 2017)."""

    peak: float
    steps: int
    warmup: int = 0
    floor: float = 0.0

    def __post_init__(self) -> None:
        _rates("CosineLR", peak=self.peak, floor=self.floor)
        _counts("CosineLR", 0, warmup=self.warmup)
        _counts("CosineLR", self.warmup + 1, " (more than the warm-up)", steps=self.steps)

    def __call__(self, step: int, /) -> float:
        """The learning rate of one step."""
        if step < self.warmup:
            return _warming(self.peak, step, self.warmup)
        done = min((step - self.warmup) / (self.steps - self.warmup), 1.0)
        return self.floor + (self.peak - self.floor) * (1 + math.cos(math.pi * done)) / 2


@dataclass(frozen=True)
class WSDLR:
    """Warm-up, a stable stretch at `peak`, and a linear decay to `floor` over the last `decay` of `steps` steps.

    (Hu et al., "MiniCPM", 2024.)
    """

    peak: float
    steps: int
    warmup: int
    decay: int
    floor: float = 0.0

    def __post_init__(self) -> None:
        _rates("WSDLR", peak=self.peak, floor=self.floor)
        _counts("WSDLR", 0, warmup=self.warmup)
        _counts("WSDLR", 1, decay=self.decay)
        _counts("WSDLR", self.warmup + self.decay, " (warm-up and decay)", steps=self.steps)

    def __call__(self, step: int, /) -> float:
        """The learning rate of one step."""
        if step < self.warmup:
            return _warming(self.peak, step, self.warmup)
        left = min(max(self.steps - step, 0) / self.decay, 1.0)
        return self.floor + (self.peak - self.floor) * left


@dataclass(frozen=True)
class StepLR:
    """`start` for `every` steps, then `factor` times as much for as many, and so on: PyTorch's `StepLR`."""

    start: float
    every: int
    factor: float = 0.1

    def __post_init__(self) -> None:
        _rates("StepLR", start=self.start, factor=self.factor)
        _counts("StepLR", 1, every=self.every)

    def __call__(self, step: int, /) -> float:
        """The learning rate of one step."""
        return self.start * self.factor ** ((step - 1) // self.every)
