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
from bendtorch.shapes.arrays import FlatF32

TABLE: Final = "token_embd.weight"
OUTPUT: Final = "output.weight"


def tensor_shapes(config: AnyLlama) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes, one after another, in the order of the model's dump."""
    d, f = config.width, config.inner
    queries, keys = config.heads * config.head_dim, config.key_heads * config.head_dim
    block = {
        "attn_norm": (d,),
        "attn_q": (queries, d),
        "attn_k": (keys, d),
        "attn_v": (keys, d),
        "attn_output": (d, queries),
        "ffn_norm": (d,),
        "ffn_gate": (f, d),
        "ffn_up": (f, d),
        "ffn_down": (d, f),
    }
    yield TABLE, (config.vocabulary, d)
    for number in range(config.depth):
        yield from ((f"blk.{number}.{name}.weight", shape) for name, shape in block.items())
    yield "output_norm.weight", (d,)
    if not config.tied:
        yield OUTPUT, (config.vocabulary, d)


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
