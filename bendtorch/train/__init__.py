"""Training: the state of a run, batches, the loop."""

from __future__ import annotations

from bendtorch.train.average import Average
from bendtorch.train.batches import Batch, Batches, batches
from bendtorch.train.callbacks import Callback, EarlyStopping, History, JsonLines, Run
from bendtorch.train.evaluate import evaluate
from bendtorch.train.loop import fit
from bendtorch.train.metrics import accuracy
from bendtorch.train.train import Train
from bendtorch.train.windows import windows

__all__ = [
    "Average",
    "Batch",
    "Batches",
    "Callback",
    "EarlyStopping",
    "History",
    "JsonLines",
    "Run",
    "Train",
    "accuracy",
    "batches",
    "evaluate",
    "fit",
    "windows",
]
