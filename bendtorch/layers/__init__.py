"""Layers, one file each."""

from __future__ import annotations

from bendtorch.layers.dropout import Dropout
from bendtorch.layers.linear import Lin, Linear
from bendtorch.layers.linear_first import LinearFirst
from bendtorch.layers.linear_nb import LinearNB
from bendtorch.layers.relu import ReLU

__all__ = [
    "Dropout",
    "Lin",
    "Linear",
    "LinearFirst",
    "LinearNB",
    "ReLU",
]
