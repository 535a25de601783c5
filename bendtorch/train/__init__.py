"""Training: the state of a run, batches, the loop."""

from __future__ import annotations

from bendtorch.train.train import Train

__all__ = ["Train"]
