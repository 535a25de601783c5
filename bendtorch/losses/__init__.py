"""Losses, one file each."""

from __future__ import annotations

from bendtorch.losses.cross_entropy import CrossEntropy
from bendtorch.losses.loss import Loss, LossOut
from bendtorch.losses.mse import MSE
from bendtorch.losses.nll import NLL

__all__ = ["MSE", "NLL", "CrossEntropy", "Loss", "LossOut"]
