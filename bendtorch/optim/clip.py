"""Clipping of gradients, before the optimizer's step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, NonFiniteError
from bendtorch.kernels.flat import clamp, scale, sum_of_squares
from bendtorch.shapes.arrays import FlatF32

SMALL: Final = 1e-6  # PyTorch adds it to the norm that it divides by


def global_norm(g: FlatF32) -> float:
    """The Euclidean norm of all numbers, summed in float64: no overflow, and the same bits at any number of threads."""
    return math.sqrt(sum_of_squares(g))


@dataclass(frozen=True)
class ClipNorm:
    """Scale the gradient of all parameters together down to a norm of at most `most`.

    PyTorch's `clip_grad_norm_`, with its factor most / (norm + 1e-6); exactly the identity up to the bound.

    Laws: L43.
    """

    most: float

    def __post_init__(self) -> None:
        _positive("ClipNorm", self.most)

    def __call__(self, g: FlatF32) -> float:
        """Clip in place; gives the norm before. Raises `NonFiniteError` where it is not finite, and changes nothing."""
        norm = global_norm(g)
        if not math.isfinite(norm):
            raise NonFiniteError(f"ClipNorm: the norm of the gradient is {norm}: it has NaN or infinity in it")
        if norm > self.most:
            scale(g, np.float32(self.most / (norm + SMALL)))
        return norm


@dataclass(frozen=True)
class ClipValue:
    """Bring each number of the gradient into -most to most: PyTorch's `clip_grad_value_`. NaN stays NaN.

    Laws: L43.
    """

    most: float

    def __post_init__(self) -> None:
        _positive("ClipValue", self.most)

    def __call__(self, g: FlatF32) -> float:
        """Clip in place; gives the norm before."""
        norm = global_norm(g)
        clamp(g, np.float32(self.most))
        return norm


Clip: TypeAlias = ClipNorm | ClipValue


def _positive(name: str, most: float) -> None:
    number = isinstance(most, (int, float)) and not isinstance(most, bool)
    if not number or not math.isfinite(most) or most <= 0:
        raise ConfigError(f"{name}: the bound must be a finite number above 0, got {most!r}")
