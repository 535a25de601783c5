"""Models, declared from layers."""

from __future__ import annotations

from bendtorch.models.init import init_normal
from bendtorch.models.llama import Llama, LlamaUntied

__all__ = ["Llama", "LlamaUntied", "init_normal"]
