"""`load_gguf`: a Llama from a file of llama.cpp, with its tokens.

    found = load_gguf("SmolLM2-135M-Instruct.Q4_1.gguf")
    logits = found.config.model(1, 5).fwd(found.p, ids(5, tokens)).y

Reading needs the package `gguf` (`pip install "bendtorch[chat]"`).
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.models.gguf.fields import TokenList, config_of, tokens_of
from bendtorch.models.gguf.weights import OUTPUT, TABLE, read_weights
from bendtorch.models.hugging_face.config_json import ReadLlama
from bendtorch.shapes.arguments import as_path


@dataclass(frozen=True)
class GGUFModel:
    """What a file holds: the configuration, the parameters of its model, the tokens if it lists them."""

    config: ReadLlama
    p: Any
    tokens: TokenList | None


def load_gguf(path: str | os.PathLike[str]) -> GGUFModel:
    """Read a Llama from a GGUF file; `config.model(b, t)` is the model. Its weights, of any type, become float32.

    Raises `ConfigError`, naming it, for what is not supported: another architecture, biases, scaling of RoPE, a sliding
    window, experts; and `CheckpointError` when the file cannot be read, or is no complete Llama.
    """
    file = as_path("load_gguf", path)
    try:
        return _model(*_opened(file))
    except (CheckpointError, ConfigError) as problem:
        raise type(problem)(f"{file}: {problem}") from problem.__cause__


def _opened(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields, and the tensors, whose numbers are read when they are asked for."""
    try:
        package = importlib.import_module("gguf")
    except ImportError as error:
        raise ConfigError('load_gguf needs the package gguf: pip install "bendtorch[chat]"') from error
    try:
        reader = package.GGUFReader(str(file))
        fields = {name: field.contents() for name, field in reader.fields.items()}
    except OSError as error:
        raise CheckpointError(error.strerror or str(error)) from error
    except Exception as error:  # a damaged file fails in whatever the package meets first
        raise CheckpointError(f"is no GGUF file that can be read ({error})") from error
    return fields, {tensor.name: tensor for tensor in reader.tensors}


def _model(fields: dict[str, Any], tensors: dict[str, Any]) -> GGUFModel:
    table = tensors.get(TABLE)
    vocabulary = 1 if table is None else int(table.shape[-1])  # its absence is an error with those of other tensors
    config = config_of(fields, vocabulary, OUTPUT not in tensors)
    view = config.model(1, 1).view
    assert view is not None
    return GGUFModel(config, view(read_weights(config, tensors), 0), tokens_of(fields))
