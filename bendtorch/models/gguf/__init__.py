"""Llamas in GGUF files, the format of llama.cpp."""

from __future__ import annotations

from bendtorch.models.gguf.fields import TokenList
from bendtorch.models.gguf.file import GGUFModel, load_gguf

__all__ = ["GGUFModel", "TokenList", "load_gguf"]
