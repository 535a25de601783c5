"""bendtorch: typed neural-network layers, composed generically, whose shapes a type checker proves.

The public names are loaded when they are first asked for: mypy loads its plugin from this package at every start, and
needs none of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bendtorch import grad, ops
    from bendtorch.checkpoint import Checkpoints, latest, load_params, load_train, save_params, save_train
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
    from bendtorch.errors import (
        BendError,
        CheckpointError,
        ConfigError,
        DtypeError,
        IndexRangeError,
        LawError,
        NonFiniteError,
        ShapeError,
    )
    from bendtorch.keys import Key
    from bendtorch.layer import Bwd, Fwd, Layer, Step, Unit, make_layer
    from bendtorch.layers import (
        GELU,
        ActIn,
        ActOut,
        Affine,
        Attention,
        AvgPool2d,
        Conv,
        Conv2d,
        Dropout,
        Embedding,
        GELUErf,
        LayerNorm,
        Lin,
        Linear,
        LinearFirst,
        LinearNB,
        LogSoftmax,
        MaxPool2d,
        PaddedAttention,
        ReLU,
        RMSNorm,
        RoPE,
        Sigmoid,
        SiLU,
        Softmax,
        Tanh,
    )
    from bendtorch.losses import MSE, NLL, CrossEntropy, Loss, LossOut
    from bendtorch.optim import (
        SGD,
        VECTORS,
        WSDLR,
        Adam,
        AdamW,
        ClipNorm,
        ClipValue,
        ConstantLR,
        CosineLR,
        Grouped,
        LinearLR,
        Momentum,
        Optimizer,
        PackedAdamW,
        Schedule,
        StepLR,
    )
    from bendtorch.profiling import Profile, profile, watch
    from bendtorch.shapes import PROVE, Dim, Eq, Ids, Mat, checked, ids, mat
    from bendtorch.train import (
        Average,
        Batch,
        Batches,
        Callback,
        EarlyStopping,
        History,
        JsonLines,
        Run,
        Train,
        accuracy,
        batches,
        evaluate,
        fit,
        windows,
    )

_PARTS: Final = (
    "errors",
    "shapes",
    "keys",
    "ops",
    "optim",
    "layer",
    "layers",
    "combine",
    "losses",
    "laws",
    "train",
    "profiling",
    "checkpoint",
    "models",
    "generate",
    "grad",  # last: its file `evaluate` is not the public name
)

__all__ = [
    "GELU",
    "MSE",
    "NLL",
    "PROVE",
    "SGD",
    "VECTORS",
    "WSDLR",
    "ActIn",
    "ActOut",
    "Adam",
    "AdamW",
    "Add2",
    "Affine",
    "Assoc",
    "Attention",
    "Average",
    "AvgPool2d",
    "Batch",
    "Batches",
    "BendError",
    "Both",
    "Bwd",
    "Callback",
    "CheckpointError",
    "Checkpoints",
    "ClipNorm",
    "ClipValue",
    "Concat",
    "ConfigError",
    "ConstantLR",
    "Conv",
    "Conv2d",
    "Copy",
    "CosineLR",
    "CrossEntropy",
    "Dim",
    "Drop",
    "Dropout",
    "DtypeError",
    "EarlyStopping",
    "Embedding",
    "Eq",
    "Fork",
    "Fwd",
    "GELUErf",
    "Grouped",
    "History",
    "Id",
    "Ids",
    "IndexRangeError",
    "JsonLines",
    "Key",
    "LawError",
    "Layer",
    "LayerNorm",
    "Lin",
    "Linear",
    "LinearFirst",
    "LinearLR",
    "LinearNB",
    "LogSoftmax",
    "Loss",
    "LossOut",
    "Mat",
    "MaxPool2d",
    "Momentum",
    "Mul2",
    "NonFiniteError",
    "Optimizer",
    "PackedAdamW",
    "PaddedAttention",
    "Permute",
    "Profile",
    "RMSNorm",
    "ReLU",
    "Repeat",
    "Reshape",
    "Residual",
    "RoPE",
    "Run",
    "Schedule",
    "Seq",
    "ShapeError",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Split",
    "Step",
    "StepLR",
    "Swap",
    "Tanh",
    "Tie",
    "Train",
    "Unit",
    "accuracy",
    "batches",
    "checked",
    "evaluate",
    "fit",
    "grad",
    "ids",
    "latest",
    "load_params",
    "load_train",
    "make_layer",
    "mat",
    "ops",
    "profile",
    "save_params",
    "save_train",
    "watch",
    "windows",
]


if not TYPE_CHECKING:  # to a type checker, a name that is not listed is none

    def __getattr__(name: str) -> object:
        """A public name, or a part of the package, loaded now."""
        if name in _PARTS:
            return importlib.import_module(f"bendtorch.{name}")
        if name in __all__:
            for part in _PARTS:
                module = importlib.import_module(f"bendtorch.{part}")
                if name in getattr(module, "__all__", vars(module)):  # a part may have a file of that name
                    globals()[name] = getattr(module, name)
                    return globals()[name]
        raise AttributeError(f"module 'bendtorch' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__, *_PARTS})
