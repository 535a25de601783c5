"""Files: parameters and training runs, written whole or not at all."""

from __future__ import annotations

from bendtorch.checkpoint.exact import exact_text, from_exact_text
from bendtorch.checkpoint.keep import Checkpoints, latest
from bendtorch.checkpoint.params import load_params, save_params
from bendtorch.checkpoint.raw import (
    load_matrix,
    load_raw_params,
    load_raw_train,
    save_raw_params,
    save_raw_train,
)
from bendtorch.checkpoint.train import load_train, save_train

__all__ = [
    "Checkpoints",
    "exact_text",
    "from_exact_text",
    "latest",
    "load_matrix",
    "load_params",
    "load_raw_params",
    "load_raw_train",
    "load_train",
    "save_params",
    "save_raw_params",
    "save_raw_train",
    "save_train",
]
