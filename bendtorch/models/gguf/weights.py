"""A Llama's tensors as GGUF files hold them, in any of the format's types, made float32.

llama.cpp turns neighbouring numbers of a head together where this package and `transformers` turn its halves (`RoPE`),
so its files hold the rows of q and k in another order, which is undone here. All else stands as it does in the model.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.models.config import AnyLlama
from bendtorch.models.tensors import TensorNames, named_shapes
from bendtorch.shapes.arrays import FlatF32

TABLE: Final = "token_embd.weight"
OUTPUT: Final = "output.weight"
NAMES: Final = TensorNames(
    table=TABLE,
    block="blk.{number}.{part}.weight",
    parts=(
        "attn_norm",
        "attn_q",
        "attn_k",
        "attn_v",
        "attn_output",
        "ffn_norm",
        "ffn_gate",
        "ffn_up",
        "ffn_down",
    ),
    norm="output_norm.weight",
    output=OUTPUT,
)


def tensor_shapes(config: AnyLlama) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes, in the order of the model's dump."""
    return named_shapes(config, NAMES)


def read_weights(config: AnyLlama, tensors: Mapping[str, Any]) -> FlatF32:
    """Every number of the model, in the order of its dump.

    Nothing is allocated before every tensor is found with its shape. Raises `CheckpointError` for one that is missing
    or of another shape, `ConfigError` for one that the model does not have or of a type that cannot be read.
    """
    shapes = {name: shape for name, shape in tensor_shapes(config) if _require(tensors, name, shape)}
    if extra := sorted(tensors.keys() - shapes.keys()):
        raise ConfigError(f"tensor {extra[0]!r} is not supported: the model has no such part ({len(extra)} of them)")
    heads = {"attn_q": config.heads, "attn_k": config.key_heads}
    flat, start = np.empty(config.count(), np.float32), 0
    for name, shape in shapes.items():
        rows, turned = _dequantised(tensors[name]).reshape(shape), heads.get(name.split(".")[-2])
        stop = start + math.prod(shape)
        flat[start:stop] = (rows if turned is None else halves_together(rows, turned)).reshape(-1)
        start = stop
    return flat


def halves_together(rows: Any, heads: int) -> Any:
    """The rows of q or k in the order of `RoPE`: each head's pairs (2c, 2c + 1) become (c, c + half)."""
    n, columns = rows.shape
    return rows.reshape(heads, n // heads // 2, 2, columns).swapaxes(1, 2).reshape(n, columns)


def _require(tensors: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> bool:
    """True, when there is such a tensor of that shape; the file gives shapes from the inside out."""
    if name not in tensors:
        raise CheckpointError(f"tensor {name!r} is missing")
    found = tuple(int(size) for size in reversed(tensors[name].shape))
    if found != shape:
        raise CheckpointError(f"tensor {name!r} must have shape {list(shape)}, got {list(found)}")
    return True


def _dequantised(tensor: Any) -> Any:
    """A tensor's numbers in float32."""
    quants = importlib.import_module("gguf.quants")
    try:
        return np.asarray(quants.dequantize(tensor.data, tensor.tensor_type), np.float32)
    except NotImplementedError as error:
        kind = tensor.tensor_type.name
        raise ConfigError(f"tensor {tensor.name!r} is of type {kind}, which the package gguf cannot read") from error
