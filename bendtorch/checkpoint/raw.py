"""Raw little-endian float32 files: nothing but numbers, as other programs write and read them.

Parameters are the dump. A training run is the parameters, then the moments in use, then, for Adam, 1 - beta1^t and
1 - beta2^t; it holds no step count and no loss, and none of the settings. Packed moments are a tree of cells that hold
uint32 bits, in the nesting of the parameters (see `tree_cells`).

Such a file cannot say whose it is: only its size is checked. Prefer safetensors (`save_params`, `save_train`).
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from bendtorch.checkpoint.atomic import replacing
from bendtorch.checkpoint.format import require_file
from bendtorch.checkpoint.train import refuse_collected
from bendtorch.checkpoint.tree import read_tree, tree_cells
from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.layer.arguments import expect_layer, reading_params
from bendtorch.layer.protocol import Layer
from bendtorch.optim.config import OPTIMIZERS, Adam, Optimizer
from bendtorch.optim.state import PackedMoments, map_state
from bendtorch.shapes.arguments import as_path, expect
from bendtorch.shapes.arrays import FlatF32, Mat
from bendtorch.shapes.dims import C, Dim, R
from bendtorch.train.train import Train

P = TypeVar("P")

LITTLE: Final = np.dtype("<f4")
PIECE: Final = 1 << 21  # numbers written at a time
MOST_STEPS: Final = 1 << 24


def save_raw_params(path: str | os.PathLike[str], model: Layer[P, Any, Any, Any], p: P) -> None:
    """Write the dump of `p`. The file is replaced whole."""
    expect_layer("save_raw_params", model)
    with reading_params("save_raw_params", model, p):
        flat = model.dump(p)
    _write(as_path("save_raw_params", path), [flat])


def load_raw_params(path: str | os.PathLike[str], model: Layer[P, Any, Any, Any]) -> P:
    """Parameters from a dump. Raises `CheckpointError` when the file has another size than the model."""
    expect_layer("load_raw_params", model)
    flat = _read(as_path("load_raw_params", path), model.count())
    p = model.zeros()
    model.load(p, flat, 0)
    return p


def save_raw_train(path: str | os.PathLike[str], model: Layer[P, Any, Any, Any], train: Train[P]) -> None:
    """Write a run, between two steps. Raises `ConfigError` for an optimizer with groups: the layout cannot say them."""
    expect_layer("save_raw_train", model)
    refuse_collected("save_raw_train", train)
    optimizer = train.optimizer
    if not isinstance(optimizer, Optimizer):
        raise ConfigError("save_raw_train: the layout has no place for groups; use save_train")
    state = map_state(train.st, model.dump) if train.flat is None else train.flat.st
    with reading_params("save_raw_train", model, train.p):
        parts = [model.dump(train.p)]
    if isinstance(state, PackedMoments):
        parts.append(tree_cells(model.zeros(), state, train.t > 0))
    else:
        parts += [getattr(state, name) for name in ("m", "v") if hasattr(state, name)]
    if isinstance(optimizer, Adam):
        parts.append(np.array(corrections(optimizer, train.t), np.float32))
    _write(as_path("save_raw_train", path), parts)


def load_raw_train(path: str | os.PathLike[str], model: Layer[P, Any, Any, Any], optimizer: Optimizer) -> Train[P]:
    """A run from its numbers. Adam's step is the smallest that gives the file's corrections; others start at 0 again.

    Raises `CheckpointError` when the file does not fit the model and the optimizer; exact resume is `load_train`'s.
    """
    path = as_path("load_raw_train", path)
    expect_layer("load_raw_train", model)
    expect("load_raw_train", "optimizer", optimizer, OPTIMIZERS, "one without groups, such as Adam()")
    train = Train.of(model, optimizer, None, None)
    state = map_state(train.st, model.dump) if train.flat is None else train.flat.st
    buffers = [getattr(state, name) for name in ("m", "v") if hasattr(state, name)]
    rest = 2 if isinstance(optimizer, Adam) else 0
    count = model.count()
    if isinstance(state, PackedMoments):
        cells = _read(path, None)
        end = read_tree(model.zeros(), state, cells[count:], str(path)) + count
        if cells.size != end + rest:
            raise CheckpointError(f"{path}: holds {cells.size} numbers, the model and its moments need {end + rest}")
    else:
        cells, end = _read(path, count * (1 + len(buffers)) + rest), count * (1 + len(buffers))
        for place, buffer in enumerate(buffers, start=1):
            buffer[...] = cells[place * count : (place + 1) * count]
    model.load(train.p, cells[:count], 0)
    if train.flat is None and not isinstance(state, PackedMoments):
        for name, buffer in zip(("m", "v"), buffers, strict=False):
            model.load(getattr(train.st, name), buffer, 0)
    if isinstance(optimizer, Adam):
        train.t = step_of(optimizer, float(cells[end]), float(cells[end + 1]), str(path))
    return train


def load_matrix(path: str | os.PathLike[str], r: Dim[R], c: Dim[C], offset: int = 0) -> Mat[R, C]:
    """An r × c matrix from r·c little-endian float32 numbers, from byte `offset` of a file on."""
    path = as_path("load_matrix", path)
    for name, value in (("r", r), ("c", c), ("offset", offset)):
        expect("load_matrix", name, value, int, "an int")
    require_file(path)
    size, whole = 4 * r * c, path.stat().st_size
    if r < 0 or c < 0 or offset < 0 or offset + size > whole:
        raise CheckpointError(f"{path}: Mat[{r}, {c}] from byte {offset} needs {size} bytes; the file has {whole}")
    matrix: Any = np.fromfile(path, LITTLE, r * c, offset=offset).astype(np.float32, copy=False).reshape(r, c)
    found: Mat[R, C] = matrix
    return found


def corrections(optimizer: Adam, t: int) -> tuple[float, float]:
    """1 - beta1^t and 1 - beta2^t."""
    return 1 - optimizer.beta1**t, 1 - optimizer.beta2**t


def step_of(optimizer: Adam, q1: float, q2: float, where: str = "the file") -> int:
    """The smallest step whose corrections are q1 and q2, told by the one that changes for longer.

    A recurrence in float32 is off by a rounding a step: the step is that whose correction is nearest. Where beta^t has
    vanished, many steps have the same corrections, and the same effect.
    """
    if not (0 <= q1 <= 1 and 0 <= q2 <= 1):
        raise CheckpointError(f"{where}: 1 - beta^t must be from 0 to 1, got {q1} and {q2}")
    slower, given = max((optimizer.beta1, q1), (optimizer.beta2, q2))
    low, high = 0, MOST_STEPS
    while low < high:
        middle = (low + high) // 2
        half_a_step = (slower**middle - slower ** (middle + 1)) / 2
        near = 1 - slower**middle >= given - max(half_a_step, 2.0**-24)
        low, high = (low, middle) if near else (middle + 1, high)
    agree = all(
        math.isclose(found, told, rel_tol=2.0**-12, abs_tol=2.0**-24)
        for found, told in zip(corrections(optimizer, low), (q1, q2), strict=True)
    )
    if not agree:
        raise CheckpointError(
            f"{where}: 1 - beta^t of {q1} and {q2} belong to no step of beta1 = {optimizer.beta1}, "
            f"beta2 = {optimizer.beta2}; the run had other settings"
        )
    return low


def _write(path: Path, parts: list[FlatF32]) -> None:
    with replacing(path) as file:
        for part in parts:
            for start in range(0, part.size, PIECE):
                file.write(np.ascontiguousarray(part[start : start + PIECE], LITTLE).data)


def _read(path: Path, count: int | None) -> FlatF32:
    """All numbers of a file, which must be `count` where that is known."""
    require_file(path)
    size = path.stat().st_size
    if size % 4 or (count is not None and size != 4 * count):
        want = "a multiple of 4" if count is None else f"{4 * count} ({count} numbers)"
        raise CheckpointError(f"{path}: has {size} bytes, expected {want}")
    return np.fromfile(path, LITTLE).astype(np.float32, copy=False)
