"""Sigmoid beside `torch.sigmoid`, whose results below e^-88 are zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch

from bendtorch import Sigmoid
from reference.compare import Row
from reference.layers.activation import activation_rows

TOLERANCE: Final = 1e8  # 1 - y of a y near 1 has no digits left


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Sigmoid."""
    return activation_rows(Sigmoid, torch.sigmoid, TOLERANCE)
