"""Parameters in a safetensors file: one float32 tensor a matrix, under the names of the model's leaves.

    save_params("model.safetensors", model, p)
    p = load_params("model.safetensors", model)

A chain's layers are numbered, and a linear layer's tensors are called `weight` and `bias`, so that PyTorch's
`nn.Sequential` of the same layers loads the file as it is. A counter (Dropout's) is a uint32 tensor of its own, which
PyTorch's dropout does not have: load such a file there with `strict=False`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, TypeVar

import numpy as np

from bendtorch.checkpoint.format import AnyArray, Reader, Tensor, reading, write_tensors
from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.layer.arguments import expect_layer, reading_params
from bendtorch.layer.describe import leaf_cells
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.protocol import Layer
from bendtorch.shapes.arguments import as_path
from bendtorch.shapes.guard import guard_mat

P = TypeVar("P")

OF_A_TENSOR: Final = 160  # bytes of a header, besides the name
FORMAT: Final = "bendtorch-params-1"
RUNS: Final = "bendtorch-train-"  # what the formats of training runs begin with


def save_params(path: str | os.PathLike[str], model: Layer[P, Any, Any, Any], p: P) -> None:
    """Write the parameters `p` of `model`. The file is replaced whole: a crash leaves the old one.

    Raises `ConfigError` when the model's leaves do not describe every number, and `OSError` when writing fails.
    """
    place = as_path("save_params", path)
    tensors = param_tensors("save_params", model, p)
    write_tensors(place, tensors, {"format": FORMAT, "model": str(model)})


def load_params(
    path: str | os.PathLike[str],
    model: Layer[P, Any, Any, Any],
    *,
    missing: Sequence[str] = (),
    unused: Sequence[str] = (),
    p: P | None = None,
) -> P:
    """The parameters of `model` from a file; nothing else is changed.

    By default the file must hold the model's tensors and no others. Leaves whose names match a pattern of `missing`
    (as of files, `head.*`) may be missing, and keep their numbers of `p`, or zero; tensors that match one of `unused`
    are left in the file. Raises `CheckpointError`, naming the first difference, when the file is damaged or holds
    another model's parameters.
    """
    leaves = described("load_params", model)
    for name, patterns in (("missing", missing), ("unused", unused)):
        if isinstance(patterns, str):  # its characters would be patterns, and * fits everything
            raise ConfigError(f"load_params: {name} must be a list of patterns, such as [{patterns!r}], got a str")
    with reading(as_path("load_params", path), usual_header(model)) as file:
        if file.metadata.get("format", "").startswith(RUNS) and not unused:
            raise CheckpointError(
                f"{path}: is a training run; load_train loads it whole, "
                'load_params(..., unused=["optimizer.*", "average.*"]) its weights'
            )
        present = [leaf for leaf in leaves if leaf.name in file.entries or not _any(missing, leaf.name)]
        for leaf in present:
            file.require(leaf.name, leaf.stored_dtype, leaf.stored_shape)
        file.refuse_others([*(leaf.name for leaf in leaves), *(n for n in file.names if _any(unused, n))])
        with reading_params("load_params", model, p):
            flat = np.zeros(model.count(), np.float32) if p is None else model.dump(p)
        read_leaves(file, leaves, flat, "", frozenset(leaf.name for leaf in present))
    if model.view is not None:
        return model.view(flat, 0)
    loaded = model.zeros()
    model.load(loaded, flat, 0)
    return loaded


def _any(patterns: Sequence[str], name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def described(caller: str, model: Layer[P, Any, Any, Any]) -> tuple[Leaf, ...]:
    """The model's leaves, when they account for every number."""
    expect_layer(caller, model)
    cells, count = sum(leaf.cells for leaf in model.leaves), model.count()
    if cells != count:
        raise ConfigError(f"{model}: its leaves describe {cells} of {count} numbers; give every layer its leaves")
    return model.leaves


def usual_header(model: Layer[P, Any, Any, Any]) -> int:
    """How many bytes a header of the model's tensors has at most: of weights, two moments and an average."""
    return len(str(model)) + 4 * sum(len(leaf.name) + OF_A_TENSOR for leaf in model.leaves)


def param_tensors(caller: str, model: Layer[P, Any, Any, Any], p: P, prefix: str = "") -> list[Tensor]:
    """The tensors of the parameters, as they are in memory where the model tells its matrices."""
    leaves, matrices = described(caller, model), model.matrices
    with reading_params(caller, model, p):
        if matrices is None:
            return list(flat_tensors(leaves, model.dump(p), prefix))
        return [
            Tensor(prefix + leaf.name, leaf.stored_dtype, leaf.stored_shape, leaf_cells(leaf, array, guard_mat))
            for leaf, array in zip(leaves, matrices(p), strict=True)
        ]


def flat_tensors(leaves: Sequence[Leaf], flat: AnyArray, prefix: str = "") -> Iterator[Tensor]:
    """The tensors of a dump."""
    start = 0
    for leaf in leaves:
        yield Tensor(prefix + leaf.name, leaf.stored_dtype, leaf.stored_shape, flat[start : start + leaf.cells])
        start += leaf.cells


def read_leaves(
    file: Reader, leaves: Sequence[Leaf], flat: AnyArray, prefix: str, names: frozenset[str] | None = None
) -> None:
    """The leaves, or those of these names, which were required, into their places of a dump."""
    start = 0
    for leaf in leaves:
        if names is None or leaf.name in names:
            file.read_into(prefix + leaf.name, flat[start : start + leaf.cells])
        start += leaf.cells
