"""SiLU beside `F.silu`, whose results below x = -88 are zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import torch
from torch.nn.functional import silu

from bendtorch import SiLU
from reference.compare import Row
from reference.layers.activation import activation_rows

TOLERANCE: Final = 1e4  # e^x below the normal range is multiplied by x, and by x² in the gradient


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on SiLU."""
    return activation_rows(SiLU, silu, TOLERANCE, torch.sigmoid)
