"""Parameters in a safetensors file: one float32 tensor a matrix, under the names of the model's leaves.

    save_params("model.safetensors", model, p)
    p = load_params("model.safetensors", model)

A chain's layers are numbered, and a linear layer's tensors are called `weight` and `bias`, so that PyTorch's
`nn.Sequential` of the same layers loads the file as it is. A counter (Dropout's) is a uint32 tensor of its own, which
PyTorch's dropout does not have: load such a file there with `strict=False`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open

from bendtorch.checkpoint.atomic import replacing
from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.protocol import Layer

P = TypeVar("P")

FORMAT: Final = "bendtorch-params-1"
ALIGN: Final = 8


def save_params(path: str | os.PathLike[str], model: Layer[P, Any, Any, Any], p: P) -> None:
    """Write the parameters `p` of `model`. The file is replaced whole: a crash leaves the old one.

    Raises `ConfigError` when the model's leaves do not describe every number, and `OSError` when writing fails.
    """
    leaves = _described(model)
    flat = model.dump(p)
    header = _header(leaves, {"format": FORMAT, "model": str(model)})
    with replacing(Path(path)) as file:
        file.write(len(header).to_bytes(8, "little"))
        file.write(header)
        file.write(np.ascontiguousarray(flat, "<f4").data)


def load_params(path: str | os.PathLike[str], model: Layer[P, Any, Any, Any]) -> P:
    """The parameters of `model` from a file; nothing else is changed.

    Raises `CheckpointError`, naming the first difference, when the file is damaged or holds another model's parameters.
    """
    leaves = _described(model)
    if Path(path).exists() and not Path(path).is_file():
        raise CheckpointError(f"{path}: not a regular file")
    try:
        with safe_open(path, framework="numpy") as file:
            _compare(str(path), leaves, file)
            flat = np.concatenate(
                [np.empty(0, np.float32), *(file.get_tensor(leaf.name).reshape(-1).view(np.float32) for leaf in leaves)]
            )
    except SafetensorError as problem:
        raise CheckpointError(f"{path}: not a complete safetensors file ({problem})") from None
    p = model.zeros()
    model.load(p, flat, 0)
    return p


def _described(model: Layer[P, Any, Any, Any]) -> tuple[Leaf, ...]:
    """The model's leaves, when they account for every number."""
    described, count = sum(leaf.cells for leaf in model.leaves), model.count()
    if described != count:
        raise ConfigError(f"{model}: its leaves describe {described} of {count} numbers; give every layer its leaves")
    return model.leaves


def _header(leaves: tuple[Leaf, ...], metadata: dict[str, str]) -> bytes:
    """The header of the file: names, types, shapes and places, padded so that the numbers are aligned."""
    entries: dict[str, Any] = {"__metadata__": metadata}
    start = 0
    for leaf in leaves:
        end = start + 4 * leaf.cells
        entries[leaf.name] = {
            "dtype": leaf.stored_dtype,
            "shape": list(leaf.stored_shape),
            "data_offsets": [start, end],
        }
        start = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % ALIGN)


def _compare(path: str, leaves: tuple[Leaf, ...], file: Any) -> None:
    """Refuse a file that does not hold exactly the model's tensors."""
    names = set(file.keys())
    for leaf in leaves:
        if leaf.name not in names:
            raise CheckpointError(f"{path}: tensor {leaf.name!r} is missing; the file is of another model")
        part = file.get_slice(leaf.name)
        shape, dtype = tuple(part.get_shape()), part.get_dtype()
        if dtype != leaf.stored_dtype:
            raise CheckpointError(f"{path}: tensor {leaf.name!r} must be {leaf.stored_dtype}, got {dtype}")
        if shape != leaf.stored_shape:
            want = list(leaf.stored_shape)
            raise CheckpointError(f"{path}: tensor {leaf.name!r} must have shape {want}, got {list(shape)}")
    extra = sorted(names - {leaf.name for leaf in leaves})
    if extra:
        raise CheckpointError(f"{path}: tensor {extra[0]!r} is not part of the model; the file is of another model")
