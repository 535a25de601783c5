"""A Llama's tensors under the names that `transformers` gives them.

They are the leaves of the model in their order, number by number: a linear layer's weight is o × i here as there, the
heads stand in the same order, and RoPE turns the two halves of a head. So nothing is permuted or transposed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from bendtorch.checkpoint.format import FLOATS, Reader
from bendtorch.errors import CheckpointError
from bendtorch.models.config import AnyLlama
from bendtorch.models.tensors import TensorNames, named_shapes
from bendtorch.shapes.arrays import FlatF32

TABLE: Final = "model.embed_tokens.weight"
OUTPUT: Final = "lm_head.weight"
NAMES: Final = TensorNames(
    table=TABLE,
    block="model.layers.{number}.{part}.weight",
    parts=(
        "input_layernorm",
        "self_attn.q_proj",
        "self_attn.k_proj",
        "self_attn.v_proj",
        "self_attn.o_proj",
        "post_attention_layernorm",
        "mlp.gate_proj",
        "mlp.up_proj",
        "mlp.down_proj",
    ),
    norm="model.norm.weight",
    output=OUTPUT,
)
ANGLES: Final = "rotary_emb.inv_freq"  # old files hold RoPE's angles too, which follow from its base

UNSUPPORTED: Final = {
    ".bias": "biases are not supported",
    "_norm.weight": "norms of queries and keys are not supported",
    "lora_": "merge the adapter into the model with PEFT first",
    "scales": "quantised weights are not supported; save the model in bfloat16 or float32 first",
    "qweight": "quantised weights are not supported; save the model in bfloat16 or float32 first",
}
"""What an unexpected tensor's name tells of the model."""


def tensor_shapes(config: AnyLlama) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes, in the order of the model's dump."""
    return named_shapes(config, NAMES)


def read_weights(folder: Path, tensors: Mapping[str, Reader], config: AnyLlama) -> FlatF32:
    """The numbers of the model in the order of its leaves.

    Nothing is allocated before every tensor is found there with its shape, so a file cannot ask for more than it holds.
    Raises `CheckpointError`, naming the first difference.
    """
    shapes = dict(_required(folder, tensors, config))
    _refuse_others(tensors, shapes, config)
    flat, start = np.empty(config.count(), np.float32), 0
    for name, shape in shapes.items():
        target = flat[start : start + math.prod(shape)]
        tensors[name].read_floats_into(name, target)
        start += target.size
    if config.tied and OUTPUT in tensors:
        _require_equal(tensors[OUTPUT], flat[: config.vocabulary * config.width])
    return flat


def _required(folder: Path, tensors: Mapping[str, Reader], config: AnyLlama) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes, each found in its file."""
    for name, shape in tensor_shapes(config):
        if name not in tensors:
            hint = "; set tie_word_embeddings if it shares the table of tokens" if name == OUTPUT else ""
            raise CheckpointError(
                f"{folder}: tensor {name!r} is missing; the weights are not those of config.json{hint}"
            )
        _require(tensors[name], name, shape)
        yield name, shape


def _require(reader: Reader, name: str, shape: tuple[int, ...]) -> None:
    """Refuse a tensor of another shape or type."""
    entry = reader.entries[name]
    if tuple(entry["shape"]) != shape:
        raise CheckpointError(
            f"{reader.path}: tensor {name!r} must have shape {list(shape)}, which follows from config.json, "
            f"got {entry['shape']}"
        )
    if entry["dtype"] not in FLOATS:
        raise CheckpointError(
            f"{reader.path}: tensor {name!r} must be of {', '.join(FLOATS)}, got {entry['dtype']}; "
            'save the model from transformers with dtype="float32"'
        )


def _refuse_others(tensors: Mapping[str, Reader], shapes: Mapping[str, Any], config: AnyLlama) -> None:
    """Refuse tensors that are not part of the model; a tied output's, where it is stored too, must have its shape."""
    for name in sorted(tensors.keys() - shapes.keys()):
        if name == OUTPUT:
            _require(tensors[name], name, shapes[TABLE])
        elif not name.endswith(ANGLES):
            hints = [hint for part, hint in UNSUPPORTED.items() if part in name]
            hint = hints[0] if hints else f"config.json says a Llama of {config.depth} blocks"
            raise CheckpointError(f"{tensors[name].path}: tensor {name!r} is not part of the model; {hint}")


def _require_equal(reader: Reader, table: FlatF32) -> None:
    """Refuse an output's weight that is not the table that config.json says it is."""
    stored = np.empty(table.size, np.float32)
    reader.read_floats_into(OUTPUT, stored)
    if not np.array_equal(stored.view(np.uint32), table.view(np.uint32)):
        raise CheckpointError(
            f"{reader.path}: tensor {OUTPUT!r} is not {TABLE!r}, but config.json ties them; "
            "set tie_word_embeddings to false if they are two weights"
        )
