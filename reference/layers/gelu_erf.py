"""GELUErf beside `F.gelu`, which has no digits below x = -5."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import torch
from torch.nn.functional import gelu

from bendtorch import GELUErf
from reference.compare import Row
from reference.layers.activation import activation_rows

TOLERANCE: Final = 1e4  # below x = -13 the tail is below the normal range


def _gate(x: torch.Tensor) -> torch.Tensor:
    """PyTorch's own form has no digits below x = -8 in float64 either."""
    gate: torch.Tensor = torch.special.erfc(-x / math.sqrt(2)) / 2
    return gate


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on GELUErf."""
    return activation_rows(GELUErf, gelu, TOLERANCE, _gate)
