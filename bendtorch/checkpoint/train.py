"""A training run in a file: everything that a run needs to go on as if it had never stopped.

    save_train("run.safetensors", model, train, data=data)
    train = load_train("run.safetensors", model, AdamW(1e-3), data=data)
    fit(train, mlp, loss, data, epochs, start=train.t)

The weights are stored under the names of the model's leaves, so the file also serves as one of parameters
(`load_params(..., unused=["optimizer.*", "average.*"])`), the moments as `optimizer.m.NAME` and `optimizer.v.NAME`,
packed ones as BF16. Dropout's counters are among the parameters; schedules and the order of batches are functions of
the step. What must be the same again is written as text and compared: the settings of the optimizer, of clipping and
of the data.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from bendtorch.checkpoint.format import AnyArray, Reader, Tensor, reading, write_tensors
from bendtorch.checkpoint.params import described, flat_tensors, param_tensors, read_leaves
from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.protocol import Layer
from bendtorch.optim.clip import Clip
from bendtorch.optim.config import Adam, Optimizer
from bendtorch.optim.groups import Bound, Grouped
from bendtorch.optim.state import OptState, PackedMoments, map_state
from bendtorch.train.average import Average
from bendtorch.train.batches import Batches
from bendtorch.train.train import Train

P = TypeVar("P")

FORMAT: Final = "bendtorch-train-1"
BF16: Final = "BF16"


def save_train(
    path: str | os.PathLike[str],
    model: Layer[P, Any, Any, Any],
    train: Train[P],
    *,
    data: Batches[Any, Any] | None = None,
    average: Average[P] | None = None,
) -> None:
    """Write the state of a run, between two steps. The file is replaced whole: a crash leaves the old one.

    With `data`, its order is written for comparison; with `average`, the moving average is saved too. Raises
    `ConfigError` in the middle of a step (micro-batches are collected), and `OSError` when writing fails.
    """
    if train.weights:
        raise ConfigError("save_train: micro-batches are collected but not applied; save after train.apply(model)")
    leaves = described(model)
    tensors = [*param_tensors(model, train.p), *_moment_tensors(model, leaves, _flat_state(model, train))]
    if average is not None:
        tensors += flat_tensors(leaves, average.flat, "average.")
    write_tensors(Path(path), tensors, {"format": FORMAT, "model": str(model), **_facts(train, data)})


def load_train(
    path: str | os.PathLike[str],
    model: Layer[P, Any, Any, Any],
    optimizer: Optimizer | Grouped,
    *,
    clip: Clip | None = None,
    data: Batches[Any, Any] | None = None,
    average: Average[P] | None = None,
) -> Train[P]:
    """The state of a run, as it was saved; `average` is filled in place.

    Raises `CheckpointError`, naming the first difference, when the file is damaged, of another model, or of a run with
    other settings; nothing is changed then.
    """
    leaves = described(model)
    train = Train.new(model, optimizer, model.zeros(), clip=clip)
    with reading(Path(path)) as file:
        if file.metadata.get("format") != FORMAT:
            raise CheckpointError(
                f"{path}: is no training run, but {file.metadata.get('format', 'of another program')}"
            )
        _compare(file, _facts(train, data))
        state = _flat_state(model, train)
        parts = {"": None, **_moment_names(state), **({"average.": None} if average is not None else {})}
        for prefix, dtype in parts.items():
            for leaf in leaves:
                file.require(prefix + leaf.name, dtype or leaf.stored_dtype, leaf.stored_shape)
        known = [prefix + leaf.name for prefix in (*parts, "average.") for leaf in leaves]
        file.refuse_others(known)
        _fill(file, model, leaves, train, state)
        if average is not None:
            averaged = np.empty_like(average.flat)
            read_leaves(file, leaves, averaged, "average.")
            average.flat[:] = averaged
        train.t = int(file.metadata["step"])
        train.loss, train.norm = (float.fromhex(file.metadata[name]) for name in ("loss", "norm"))
    return train


def _facts(train: Train[Any], data: Batches[Any, Any] | None) -> dict[str, str]:
    """What is written as text: first what must agree, then what is read back or for people."""
    facts = {"optimizer": settings_text(train.optimizer), "clip": settings_text(train.clip)}
    if data is not None:
        facts["data"] = f"{data.count} examples in batches of {data.size}, key {data.key}"
    facts |= {"step": str(train.t), "loss": float(train.loss).hex(), "norm": float(train.norm).hex()}
    first = train.optimizer.optimizers[0] if isinstance(train.optimizer, Bound) else train.optimizer
    if isinstance(first, Adam):
        facts |= {"q1": str(np.float32(1 - first.beta1**train.t)), "q2": str(np.float32(1 - first.beta2**train.t))}
    return facts


def _compare(file: Reader, facts: Mapping[str, str]) -> None:
    """Refuse a run with other settings."""
    for name in ("optimizer", "clip", "data"):
        if name in facts and file.metadata.get(name, facts[name]) != facts[name]:
            raise CheckpointError(f"{file.path}: was saved with {name} {file.metadata[name]}, given {facts[name]}")
    try:
        steps, *_ = int(file.metadata["step"]), *(float.fromhex(file.metadata[name]) for name in ("loss", "norm"))
    except (KeyError, ValueError) as problem:
        raise CheckpointError(f"{file.path}: says no step, loss or norm ({problem})") from None
    if steps < 0:
        raise CheckpointError(f"{file.path}: says step {steps}")


def settings_text(value: object) -> str:
    """Settings in words that are the same in every process: functions by their names."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        inside = ", ".join(f"{field.name}={settings_text(getattr(value, field.name))}" for field in fields)
        return f"{type(value).__name__}({inside})"
    if isinstance(value, tuple):
        return f"({', '.join(map(settings_text, value))})"
    if callable(value):
        return f"{getattr(value, '__module__', '?')}.{getattr(value, '__qualname__', type(value).__name__)}"
    return repr(value)


def _flat_state(model: Layer[P, Any, Any, Any], train: Train[P]) -> OptState[Any]:
    """The moments, each flat in dump order: the buffers themselves where the run has them."""
    return map_state(train.st, model.dump) if train.flat is None else train.flat.st


def _buffers(state: OptState[Any]) -> dict[str, AnyArray]:
    """The moments by the prefix of their tensors' names."""
    return {f"optimizer.{name}.": getattr(state, name) for name in ("m", "v") if hasattr(state, name)}


def _moment_names(state: OptState[Any]) -> dict[str, str | None]:
    """The prefixes, and the type of the tensors where it is not the leaf's own."""
    return {prefix: BF16 if buffer.dtype == np.uint16 else None for prefix, buffer in _buffers(state).items()}


def _moment_tensors(
    model: Layer[Any, Any, Any, Any], leaves: tuple[Leaf, ...], state: OptState[Any]
) -> Iterator[Tensor]:
    """The tensors of the moments."""
    dtypes = _moment_names(state)
    for prefix, buffer in _buffers(state).items():
        for tensor in flat_tensors(leaves, buffer, prefix):
            yield dataclasses.replace(tensor, dtype=dtypes[prefix] or tensor.dtype)


def _fill(
    file: Reader, model: Layer[P, Any, Any, Any], leaves: tuple[Leaf, ...], train: Train[P], state: OptState[Any]
) -> None:
    """Read the weights and the moments into a new run."""
    w = np.empty(model.count(), np.float32) if train.flat is None else train.flat.w
    read_leaves(file, leaves, w, "")
    for prefix, buffer in _buffers(state).items():
        read_leaves(file, leaves, buffer, prefix)
    if train.flat is None:
        model.load(train.p, w, 0)
        if not isinstance(state, PackedMoments):
            for name in ("m", "v"):
                if hasattr(state, name):
                    model.load(getattr(train.st, name), getattr(state, name), 0)
