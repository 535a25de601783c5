"""Optimizers: configurations, their state, and their steps."""

from __future__ import annotations

from bendtorch.optim.at import Opt
from bendtorch.optim.clip import ClipNorm, ClipValue, global_norm
from bendtorch.optim.config import SGD, Adam, AdamW, Momentum, Optimizer, PackedAdamW
from bendtorch.optim.groups import VECTORS, Grouped
from bendtorch.optim.schedule import WSDLR, ConstantLR, CosineLR, LinearLR, Schedule, StepLR
from bendtorch.optim.state import NoMoments, OneMoment, OptState, PackedMoments, TwoMoments

__all__ = [
    "SGD",
    "VECTORS",
    "WSDLR",
    "Adam",
    "AdamW",
    "ClipNorm",
    "ClipValue",
    "ConstantLR",
    "CosineLR",
    "Grouped",
    "LinearLR",
    "Momentum",
    "NoMoments",
    "OneMoment",
    "Opt",
    "OptState",
    "Optimizer",
    "PackedAdamW",
    "PackedMoments",
    "Schedule",
    "StepLR",
    "TwoMoments",
    "global_norm",
]
