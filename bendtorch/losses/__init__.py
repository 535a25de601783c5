"""Losses, one file each."""

from __future__ import annotations

from bendtorch.losses.cross_entropy import CrossEntropy
from bendtorch.losses.loss import Loss, LossOut

__all__ = ["CrossEntropy", "Loss", "LossOut"]
