"""`load_llama` and `save_llama`: a folder with `config.json` and `model.safetensors`, as `transformers` keeps it.

    config, p = load_llama("SmolLM2-135M")
    logits = config.model(1, 5).fwd(p, ids(5, tokens)).y
    save_llama("mine", config, config.model(1, 5), p)

Nothing is downloaded, and no code of a folder is run.
"""

from __future__ import annotations

import os
from typing import Any, Final, TypeVar

from bendtorch.checkpoint.format import Tensor
from bendtorch.checkpoint.params import param_tensors
from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.layer import Layer
from bendtorch.models.config import AnyLlama, LlamaConfig
from bendtorch.models.hugging_face.config_json import ReadLlama, config_object, read_config
from bendtorch.models.hugging_face.json_file import write_object
from bendtorch.models.hugging_face.shards import opened, write_shards
from bendtorch.models.hugging_face.weights import read_weights, tensor_shapes
from bendtorch.shapes.arguments import as_folder, expect, shown

P = TypeVar("P")

CONFIG: Final = "config.json"
LARGEST: Final = 5 * 10**9  # bytes of a file's numbers, as in what transformers writes


def load_llama(folder: str | os.PathLike[str]) -> tuple[ReadLlama, Any]:
    """The configuration and the parameters of a Llama in a folder; `config.model(b, t)` is the model.

    Weights may be float32, bfloat16 or float16, in one file or in shards; they become float32, exactly. Raises
    `ConfigError`, naming the setting, for a model that is not supported (scaled RoPE, biases, sliding windows, other
    architectures, quantised weights), and `CheckpointError`, naming the first difference, for files that are missing,
    damaged, or no such model's.
    """
    place = as_folder("load_llama", folder, made=False)
    if not (place / CONFIG).exists():
        what = f"has no {CONFIG}" if place.exists() else "does not exist"
        raise CheckpointError(f"{place}: {what}; load_llama reads a folder that transformers saved, and downloads none")
    config = read_config(place / CONFIG)
    with opened(place) as tensors:
        flat = read_weights(place, tensors, config)
    view = config.model(1, 1).view
    assert view is not None
    return config, view(flat, 0)


def save_llama(
    folder: str | os.PathLike[str],
    config: AnyLlama,
    model: Layer[P, Any, Any, Any],
    p: P,
    *,
    largest: int = LARGEST,
) -> None:
    """Write a Llama's `config.json` and weights, in float32, so that `transformers` and `load_llama` read them.

    `p` are the parameters of `model`, which is `config.model(b, t)` of any b, t and dropout (the counters of Dropout
    are left out). The folder is made where it is missing. Weights of more than `largest` bytes are cut into shards.
    Each file is replaced whole; `config.json` comes last.

    Raises `ConfigError` when the model is not that of the configuration, or none that `transformers` takes.
    """
    place = as_folder("save_llama", folder)
    expect("save_llama", "config", config, LlamaConfig, "a LlamaConfig")
    if type(largest) is not int or largest < 1:
        raise ConfigError(f"save_llama: largest must be a number of bytes, an int from 1 on, got {shown(largest)}")
    content, tensors = config_object(config), _named(config, model, p)
    place.mkdir(parents=True, exist_ok=True)
    write_shards(place, tensors, largest)
    write_object(place / CONFIG, content)


def _named(config: AnyLlama, model: Layer[P, Any, Any, Any], p: P) -> list[Tensor]:
    """The tensors of the parameters under the names of `transformers`."""
    found = param_tensors("save_llama", model, p)
    weights = [tensor for tensor, leaf in zip(found, model.leaves, strict=True) if not leaf.counter]
    wanted = dict(tensor_shapes(config))
    shapes = [tensor.shape for tensor in weights]
    if shapes != list(wanted.values()) or _constants(model) != _constants(config.model(1, 1)):
        raise ConfigError(
            "save_llama: the model is not that of the configuration; give config.model(b, t), and the parameters of it"
        )
    return [
        Tensor(name, tensor.dtype, tensor.shape, tensor.array) for name, tensor in zip(wanted, weights, strict=True)
    ]


def _constants(layer: Layer[Any, Any, Any, Any]) -> set[tuple[str, str]]:
    """The kinds of layers that a model is built from, with their options (`eps`, `base`); Dropout apart."""
    if layer.info.parts:
        return {constant for part in layer.info.parts for constant in _constants(part)}
    name, options = layer.info.name, dict(layer.info.options)
    return set() if name == "Dropout" else {(name, str(options))}
