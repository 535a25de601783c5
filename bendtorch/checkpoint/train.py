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
from typing import Any, Final, TypeVar

import numpy as np

from bendtorch.checkpoint.format import Reader, Tensor, reading, write_tensors
from bendtorch.checkpoint.params import RUNS, described, flat_tensors, param_tensors, read_leaves, usual_header
from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.protocol import Layer
from bendtorch.optim.clip import Clip
from bendtorch.optim.config import Adam, Optimizer
from bendtorch.optim.groups import Bound, Grouped, bound, first_of
from bendtorch.optim.state import OptState, PackedMoments, new_state
from bendtorch.shapes.arguments import as_path, expect
from bendtorch.train.average import Average
from bendtorch.train.batches import Batches
from bendtorch.train.train import Train

P = TypeVar("P")

FORMAT: Final = f"{RUNS}1"
BF16: Final = "BF16"
AVERAGE: Final = "average."
NOTE: Final = "note."
UNUSED: Final = '"optimizer.*", "average.*"'


def save_train(
    path: str | os.PathLike[str],
    model: Layer[P, Any, Any, Any],
    train: Train[P],
    *,
    data: Batches[Any, Any] | None = None,
    average: Average[P] | None = None,
    notes: Mapping[str, str] | None = None,
) -> None:
    """Write the state of a run, between two steps. The file is replaced whole: a crash leaves the old one.

    With `data`, its order is written for comparison; with `average`, the moving average is saved too; `notes`
    are written for people, as metadata called `note.NAME`. Raises
    `ConfigError` in the middle of a step (micro-batches are collected), and `OSError` when writing fails.
    """
    place, leaves = as_path("save_train", path), described("save_train", model)
    refuse_collected("save_train", train)
    _check_beside("save_train", model, data, average)
    tensors = [*param_tensors("save_train", model, train.p), *_moment_tensors(model, leaves, train)]
    if average is not None:
        tensors += flat_tensors(leaves, average.flat, AVERAGE)
    agreed, facts = _agreed(train.optimizer, train.clip, data), _facts(train)
    write_tensors(place, tensors, {"format": FORMAT, "model": str(model), **agreed, **facts, **notes_in(notes)})


def notes_in(notes: Mapping[str, str] | None) -> dict[str, str]:
    """Notes under names that no fact has."""
    return {NOTE + name: text for name, text in (notes or {}).items()}


def refuse_collected(caller: str, train: Train[Any]) -> None:
    """Refuse what is no run, and a run in the middle of a step."""
    expect(caller, "train", train, Train, "a run, such as Train.new(model, optimizer, p)")
    if train.weights:
        raise ConfigError(f"{caller}: micro-batches are collected but not applied; save after train.apply(model)")


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
    place, leaves = as_path("load_train", path), described("load_train", model)
    chosen = bound("load_train", optimizer, leaves)
    _check_beside("load_train", model, data, average)
    with reading(place, usual_header(model)) as file:
        if file.metadata.get("format") != FORMAT:
            raise CheckpointError(
                f"{path}: is no training run, but {file.metadata.get('format', 'of another program')}; "
                "load_params reads parameters"
            )
        _compare(file, _agreed(chosen, clip, data))
        numbers = _numbers(file)
        _require(file, leaves, chosen, average is not None)
        train = Train.of(model, chosen, None, clip)  # only now: a small file cannot make us take much memory
        _fill(file, model, leaves, train)
        if average is not None:
            averaged = np.empty_like(average.flat)
            read_leaves(file, leaves, averaged, AVERAGE)
            average.flat[:] = averaged
        train.t, train.loss, train.norm = numbers
    return train


def _check_beside(caller: str, model: Layer[Any, Any, Any, Any], data: object, average: object) -> None:
    """Refuse what is no data and no average of the model."""
    if data is not None:
        expect(caller, "data", data, Batches, "what batches(x, target, 32, Key(0)) gives")
    if isinstance(average, Average):
        count, found = model.count(), average.flat.size
        if found != count:
            raise ConfigError(f"{caller}: average is of {found} numbers, {model} has {count}; is it another model's?")
    elif average is not None:
        expect(caller, "average", average, Average, "an Average(model, train)")


def _agreed(optimizer: Optimizer | Bound, clip: Clip | None, data: Batches[Any, Any] | None) -> dict[str, str]:
    """What must be the same when a run goes on, in words."""
    agreed = {"optimizer": settings_text(optimizer), "clip": settings_text(clip)}
    if data is not None:
        agreed["data"] = str(data)
    return agreed


def _facts(train: Train[Any]) -> dict[str, str]:
    """Where the run is; and Adam's corrections, for other programs."""
    facts = {"step": str(train.t), "loss": float(train.loss).hex(), "norm": float(train.norm).hex()}
    first = first_of(train.optimizer)
    if isinstance(first, Adam):
        facts |= {"q1": str(np.float32(1 - first.beta1**train.t)), "q2": str(np.float32(1 - first.beta2**train.t))}
    return facts


def _compare(file: Reader, agreed: Mapping[str, str]) -> None:
    """Refuse a run with other settings."""
    for name, given in agreed.items():
        if file.metadata.get(name, given) != given:
            raise CheckpointError(
                f"{file.path}: was saved with {name} {file.metadata[name]}, given {given}; give the same to go on with "
                f"the run, or start another from its weights: load_params(path, model, unused=[{UNUSED}])"
            )


def _numbers(file: Reader) -> tuple[int, float, float]:
    """The step, the loss and the norm of the gradient."""
    try:
        step, loss, norm = (file.metadata[name] for name in ("step", "loss", "norm"))
        found = int(step), float.fromhex(loss), float.fromhex(norm)
    except (KeyError, ValueError) as problem:
        raise CheckpointError(f"{file.path}: says no step, loss or norm ({problem})") from None
    if found[0] < 0:
        raise CheckpointError(f"{file.path}: says step {found[0]}")
    return found


def _require(file: Reader, leaves: tuple[Leaf, ...], optimizer: Optimizer | Bound, averaged: bool) -> None:
    """Refuse a file that has not the tensors of the run, or others."""
    if averaged and not any(name.startswith(AVERAGE) for name in file.names):
        raise CheckpointError(
            f"{file.path}: was saved without an average; load it without, and start one with Average(model, train)"
        )
    empty: OptState[Any] = new_state(first_of(optimizer), lambda: np.zeros(0, np.float32), 0)
    parts = {"": None, **_moment_names(empty), **({AVERAGE: None} if averaged else {})}
    for prefix, dtype in parts.items():
        for leaf in leaves:
            file.require(prefix + leaf.name, dtype or leaf.stored_dtype, leaf.stored_shape)
    file.refuse_others([prefix + leaf.name for prefix in (*parts, AVERAGE) for leaf in leaves])


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


def _buffers(state: OptState[Any]) -> dict[str, Any]:
    """The moments by the prefix of their tensors' names."""
    return {f"optimizer.{name}.": getattr(state, name) for name in ("m", "v") if hasattr(state, name)}


def _moment_names(state: OptState[Any]) -> dict[str, str | None]:
    """The prefixes, and the type of the tensors where it is not the leaf's own."""
    return {prefix: BF16 if buffer.dtype == np.uint16 else None for prefix, buffer in _buffers(state).items()}


def _moment_tensors(model: Layer[P, Any, Any, Any], leaves: tuple[Leaf, ...], train: Train[P]) -> Iterator[Tensor]:
    """The tensors of the moments, as they are in memory."""
    state: Any = train.st if train.flat is None else train.flat.st
    if train.flat is None and not isinstance(state, PackedMoments):
        for prefix, moment in _buffers(state).items():
            yield from param_tensors("save_train", model, moment, prefix)
        return
    dtypes = _moment_names(state)
    for prefix, buffer in _buffers(state).items():
        for tensor in flat_tensors(leaves, buffer, prefix):
            yield dataclasses.replace(tensor, dtype=dtypes[prefix] or tensor.dtype)


def _fill(file: Reader, model: Layer[P, Any, Any, Any], leaves: tuple[Leaf, ...], train: Train[P]) -> None:
    """Read the weights and the moments into a new run."""
    state: Any = train.st if train.flat is None else train.flat.st
    weights: Any = train.p if train.flat is None else train.flat.w
    flat = np.empty(model.count() if train.flat is None else 0, np.float32)
    for prefix, target in {"": weights, **_buffers(state)}.items():
        if train.flat is not None or (prefix and isinstance(state, PackedMoments)):
            read_leaves(file, leaves, target, prefix)
        else:
            read_leaves(file, leaves, flat, prefix)
            model.load(target, flat, 0)
