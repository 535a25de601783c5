"""Files: parameters and training runs, written whole or not at all."""

from __future__ import annotations

from bendtorch.checkpoint.params import load_params, save_params
from bendtorch.checkpoint.train import load_train, save_train

__all__ = ["load_params", "load_train", "save_params", "save_train"]
