"""Files: parameters, written whole or not at all."""

from __future__ import annotations

from bendtorch.checkpoint.params import load_params, save_params

__all__ = ["load_params", "save_params"]
