"""bendtorch: typed neural-network layers, composed generically, whose shapes a type checker proves."""

from __future__ import annotations

from bendtorch.checkpoint import load_params, save_params
from bendtorch.combine import Seq
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
    "BendError",
    "Bwd",
    "CheckpointError",
    "ConfigError",
    "CrossEntropy",
    "Dim",
    "DtypeError",
    "Eq",
    "Fwd",
    "History",
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
    "ReLU",
    "Seq",
    "ShapeError",
    "Step",
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
