"""Optimizers: configurations, their state, and their steps."""

from __future__ import annotations

from bendtorch.optim.config import SGD, Adam, AdamW, Momentum, Opt, Optimizer
from bendtorch.optim.state import NoMoments, OneMoment, OptState, TwoMoments

__all__ = ["SGD", "Adam", "AdamW", "Momentum", "NoMoments", "OneMoment", "Opt", "OptState", "Optimizer", "TwoMoments"]
