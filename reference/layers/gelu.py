"""GELU beside `F.gelu(approximate="tanh")`, which has no digits below x = -5."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import torch
from torch.nn.functional import gelu

from bendtorch import GELU
from reference.compare import Row
from reference.layers.activation import activation_rows

TOLERANCE: Final = 1e4  # below x = -8 the exponent 2u is large, and the result below the normal range


def _gate(x: torch.Tensor) -> torch.Tensor:
    """PyTorch's own form has no digits below x = -8 in float64 either."""
    return torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on GELU."""
    return activation_rows(GELU, lambda x: gelu(x, approximate="tanh"), TOLERANCE, _gate)
