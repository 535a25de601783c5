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


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
    """Causal attention of two sequences of three, two key heads of two query heads, four numbers each."""
    b, t, kv, g, hd = 2, 3, 2, 2, 4

    def heads(x: torch.Tensor, count: int) -> torch.Tensor:
        return x.view(b, t, count, hd).transpose(1, 2)

    seen = torch.ones(t, t, dtype=torch.bool).tril()[None, None]
    if lengths is not None:
        seen = seen & (torch.arange(t)[None, :] < lengths[:, None])[:, None, None, :]
    y = of.scaled_dot_product_attention(heads(q, kv * g), heads(k, kv), heads(v, kv), attn_mask=seen, enable_gqa=True)
    return torch.nan_to_num(y).transpose(1, 2).reshape(b * t, -1)


def _rotated(x: torch.Tensor) -> torch.Tensor:
    """Two sequences of three rows, two heads of two pairs: a number and the one two further make a pair."""
    angles = torch.arange(3, dtype=x.dtype)[:, None] / 10000.0 ** (torch.arange(2, dtype=x.dtype) / 2)
    c, s = angles.cos()[None, :, None], angles.sin()[None, :, None]
    one, two = x.view(2, 3, 2, 2, 2).unbind(3)
    return torch.stack((one * c - two * s, two * c + one * s), 3).reshape(6, 8)


def _flat_images(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(len(x), -1)


def _convolved(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return _flat_images(of.conv2d(x.view(2, 2, 4, 5), weight, bias, padding=1))


GOLDEN: Final = (
    Golden("Attention", (2, 3, 2, 2, 4), _attention, ("q", "k", "v")),
    Golden("AvgPool2d", (2, 2, 5, 4, 2), lambda x: _flat_images(of.avg_pool2d(x.view(2, 2, 5, 4), 2))),
    Golden("Conv2d", (2, 2, 4, 5, 3, 3, 2), _convolved, options={"padding": 1}, roundings=16),
    Golden("CrossEntropy", (4, 3), of.cross_entropy, {"input": mat_spec(4, 3), "target": ids_spec(4, 3)}),
    Golden("CrossEntropy", (1, 9), of.cross_entropy, {"input": mat_spec(1, 9), "target": ids_spec(1, 9)}),
    Golden("Embedding", (5, 4, 3), of.embedding, ("ids",)),
    Golden("GELU", (3, 5), lambda x: of.gelu(x, approximate="tanh")),
    Golden("GELUErf", (3, 5), of.gelu),
    Golden("Linear", (3, 4, 2), of.linear),
    Golden("LinearFirst", (2, 5, 3), of.linear),
    Golden("LinearNB", (3, 2, 5), of.linear),
    Golden("LayerNorm", (3, 5), lambda x, weight, bias: of.layer_norm(x, (5,), weight, bias)),
    Golden("LogSoftmax", (3, 4), lambda x: x.log_softmax(1)),
    Golden("MaxPool2d", (2, 2, 5, 4, 2), lambda x: _flat_images(of.max_pool2d(x.view(2, 2, 5, 4), 2))),
    Golden("MSE", (4, 3), of.mse_loss, {"input": mat_spec(4, 3), "target": mat_spec(4, 3)}),
    Golden("NLL", (4, 3), of.nll_loss, {"input": mat_spec(4, 3), "target": ids_spec(4, 3)}),
    Golden("PaddedAttention", (2, 3, 2, 2, 4), _attention, ("q", "k", "v", "lengths")),
    Golden("RMSNorm", (3, 5), lambda x, weight: of.rms_norm(x, (5,), weight, 1e-5), options={"eps": 1e-5}),
    Golden("ReLU", (3, 5), of.relu, roundings=0),
    Golden("RoPE", (6, 3, 2, 2), _rotated),
    Golden("SiLU", (3, 5), of.silu),
    Golden("Sigmoid", (3, 5), torch.sigmoid),
    Golden("Softmax", (3, 4), lambda x: x.softmax(1)),
    Golden("Tanh", (3, 5), torch.tanh),
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
