"""The table of golden vectors: one line for each layer and loss."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional as of

import bendtorch
from bendtorch.losses import Loss
from bendtorch.shapes.spec import ArraySpec, ids_spec, mat_spec
from reference.compare import Row
from reference.golden.files import numbers, path_of, stale, text_of

GRID: Final = 64  # inputs are multiples of 1/64: short to read, exact in float32


@dataclass(frozen=True)
class Golden:
    """A layer or loss of some sizes, and PyTorch's function for it.

    `function` takes the arrays of the input one after another, and the parameters by name. `inputs` names the arrays of
    x in order; a layer's specs say what they are, a loss's must be given. Ours may be off by `roundings` · 2^-24 of the
    largest number of each array.
    """

    name: str
    sizes: tuple[int, ...]
    function: Callable[..., torch.Tensor]
    inputs: tuple[str, ...] | Mapping[str, ArraySpec] = ("x",)
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    roundings: float = 8


GOLDEN: Final = (
    Golden("CrossEntropy", (4, 3), of.cross_entropy, {"input": mat_spec(4, 3), "target": ids_spec(4, 3)}),
    Golden("CrossEntropy", (1, 9), of.cross_entropy, {"input": mat_spec(1, 9), "target": ids_spec(1, 9)}),
    Golden("Linear", (3, 4, 2), of.linear),
    Golden("LinearFirst", (2, 5, 3), of.linear),
    Golden("LinearNB", (3, 2, 5), of.linear),
    Golden("ReLU", (3, 5), of.relu, roundings=0),
)


def contents() -> dict[str, list[dict[str, Any]]]:
    """What every file should hold."""
    found: dict[str, list[dict[str, Any]]] = {}
    for golden in GOLDEN:
        found.setdefault(golden.name, []).append(content(golden))
    return found


def content(golden: Golden) -> dict[str, Any]:
    """One case: its sizes, its inputs, and what PyTorch computes from them in float64."""
    rng = np.random.default_rng(zlib.crc32(f"{golden.name}{golden.sizes}{dict(golden.options)}".encode()))
    built: Any = getattr(bendtorch, golden.name)(*golden.sizes, **golden.options)
    given = _inputs(golden, built)
    parameters: dict[str, Any] = {}
    arrays = {name: _drawn(spec, rng) for name, spec in given.items()}
    fixed: tuple[str, ...] = ()
    if not isinstance(built, Loss):
        parameters = {leaf.name: _numbers(leaf.stored_shape, rng) for leaf in built.leaves}
        fixed = () if built.info.input_gradient else tuple(given)
    head = {"sizes": list(golden.sizes), "options": dict(golden.options), "roundings": golden.roundings}
    results = _evaluate(golden.function, arrays, parameters, rng, fixed)
    values = {**arrays, **parameters, **results}
    return {**head, "input_names": list(given)} | {name: numbers(value) for name, value in values.items()}


def _inputs(golden: Golden, built: Any) -> dict[str, ArraySpec]:
    """The arrays of x by name."""
    if isinstance(golden.inputs, Mapping):
        return dict(golden.inputs)
    return dict(zip(golden.inputs, _flat(built.info.takes), strict=True))


def _flat(spec: Any) -> list[ArraySpec]:
    return [one for part in spec for one in _flat(part)] if isinstance(spec, tuple) else [spec]


def _drawn(spec: ArraySpec, rng: np.random.Generator) -> Any:
    if spec.kind == "Ids":
        return rng.integers(0, spec.below or 2, spec.shape)
    return _numbers(spec.shape, rng)


def _numbers(shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    return np.rint(rng.standard_normal(shape) * GRID) / GRID


def _evaluate(
    function: Callable[..., torch.Tensor],
    inputs: Mapping[str, Any],
    parameters: Mapping[str, Any],
    rng: np.random.Generator,
    fixed: tuple[str, ...],
) -> dict[str, Any]:
    """y, dy where y is no single number, and the gradient of every array of numbers but the `fixed` ones."""
    tensors = {name: torch.tensor(array) for name, array in {**inputs, **parameters}.items()}
    wanted = [name for name, tensor in tensors.items() if tensor.is_floating_point() and name not in fixed]
    for name in wanted:
        tensors[name].requires_grad_()
    y = function(*(tensors[name] for name in inputs), **{name: tensors[name] for name in parameters})
    results = {"y": y.detach().numpy()}
    if y.ndim:
        results["dy"] = _numbers(tuple(y.shape), rng)
    torch.autograd.backward(y, torch.tensor(results["dy"]) if y.ndim else None)
    for name in wanted:
        gradient = tensors[name].grad
        results[f"d{name}"] = np.zeros(tensors[name].shape) if gradient is None else gradient.numpy()
    return results


def rows(quick: bool) -> Iterator[Row]:
    """Whether each file holds what PyTorch gives now."""
    for name, cases in contents().items():
        path = path_of(name)
        fault = stale(path.read_text(encoding="utf-8"), cases) if path.exists() else "no such file"
        yield Row(name, path.name, "", "", fault=f"{fault}: python -m reference.golden" if fault else "")


def write() -> list[str]:
    """Write the files whose content has changed; gives their names."""
    written = []
    for name, cases in contents().items():
        path = path_of(name)
        if not path.exists() or stale(path.read_text(encoding="utf-8"), cases):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text_of(name, cases), encoding="utf-8")
            written.append(path.name)
    return written
