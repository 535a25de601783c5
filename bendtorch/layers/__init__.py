"""Layers, one file each."""

from __future__ import annotations

from bendtorch.layers.linear import Lin, Linear
from bendtorch.layers.linear_first import LinearFirst
from bendtorch.layers.linear_nb import LinearNB
from bendtorch.layers.relu import ReLU

__all__ = ["Lin", "Linear", "LinearFirst", "LinearNB", "ReLU"]
