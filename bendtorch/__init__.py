"""bendtorch: typed neural-network layers, composed generically, whose shapes a type checker proves."""

from __future__ import annotations

from bendtorch.checkpoint import load_params, save_params
from bendtorch.combine import (
    Add2,
    Assoc,
    Both,
    Concat,
    Copy,
    Drop,
    Fork,
    Id,
    Mul2,
    Permute,
    Repeat,
    Reshape,
    Residual,
    Seq,
    Split,
    Swap,
    Tie,
)
from bendtorch.errors import BendError, CheckpointError, ConfigError, DtypeError, IndexRangeError, ShapeError
from bendtorch.keys import Key
from bendtorch.layer import Bwd, Fwd, Layer, Step, Unit, make_layer
from bendtorch.layers import Lin, Linear, LinearFirst, LinearNB, ReLU
from bendtorch.losses import CrossEntropy, Loss, LossOut
from bendtorch.optim import SGD, Adam, AdamW, Momentum
from bendtorch.shapes import PROVE, Dim, Eq, Ids, Mat, checked, ids, mat
from bendtorch.train import History, Train, accuracy, batches, fit

__all__ = [
    "PROVE",
    "SGD",
    "Adam",
    "AdamW",
    "Add2",
    "Assoc",
    "BendError",
    "Both",
    "Bwd",
    "CheckpointError",
    "Concat",
    "ConfigError",
    "Copy",
    "CrossEntropy",
    "Dim",
    "Drop",
    "DtypeError",
    "Eq",
    "Fork",
    "Fwd",
    "History",
    "Id",
    "Ids",
    "IndexRangeError",
    "Key",
    "Layer",
    "Lin",
    "Linear",
    "LinearFirst",
    "LinearNB",
    "Loss",
    "LossOut",
    "Mat",
    "Momentum",
    "Mul2",
    "Permute",
    "ReLU",
    "Repeat",
    "Reshape",
    "Residual",
    "Seq",
    "ShapeError",
    "Split",
    "Step",
    "Swap",
    "Tie",
    "Train",
    "Unit",
    "accuracy",
    "batches",
    "checked",
    "fit",
    "ids",
    "load_params",
    "make_layer",
    "mat",
    "save_params",
]
