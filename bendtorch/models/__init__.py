"""Models, declared from layers."""

from __future__ import annotations

from bendtorch.models.config import AnyLlama, LlamaConfig
from bendtorch.models.hugging_face import load_llama, save_llama
from bendtorch.models.init import init_normal
from bendtorch.models.llama import Llama, LlamaUntied

__all__ = ["AnyLlama", "Llama", "LlamaConfig", "LlamaUntied", "init_normal", "load_llama", "save_llama"]
