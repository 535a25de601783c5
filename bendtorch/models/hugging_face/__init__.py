"""Llamas as Hugging Face's `transformers` keeps them: a folder of `config.json` and safetensors files."""

from __future__ import annotations

from bendtorch.models.hugging_face.folder import load_llama, save_llama

__all__ = ["load_llama", "save_llama"]
