"""Tanh beside `torch.tanh`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch

from bendtorch import Tanh
from reference.compare import Row
from reference.layers.activation import activation_rows

TOLERANCE: Final = 1e8  # 1 - y² of a y near 1 has no digits left


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Tanh."""
    return activation_rows(Tanh, torch.tanh, TOLERANCE)
