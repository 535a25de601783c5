"""Llama beside the same model of PyTorch's functions: logits and every gradient.

Both see the same tokens and weights, normal with a deviation of 0.25. Exact is the model in float64 throughout: norms,
angles and softmax too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional as of

from bendtorch.models import Llama, LlamaUntied
from reference.compare import Row, judge_all
from reference.errors import Array
from reference.inputs import scaled
from reference.layers.passes import Fills, layer_case
from reference.pytorch import Function, evaluate

# b, t, v, d, kv, g, half, f, depth
SIZES: Final = (
    (2, 16, 50, 32, 2, 2, 8, 64, 2),
    (1, 1, 11, 12, 1, 1, 2, 16, 1),
    (1, 2, 11, 12, 1, 3, 4, 20, 3),
    (4, 33, 101, 48, 3, 3, 8, 96, 2),
)
EPS: Final = 1e-5
BASE: Final = 10000.0


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on both models."""
    cases = []
    makers: dict[str, Any] = {"tied": Llama, "untied": LlamaUntied}
    for name, make in makers.items():
        for size in SIZES:
            layer = make(*size)
            b, t, v = size[:3]
            function = partial(in_torch, size, [leaf.name for leaf in layer.leaves], name == "tied")
            fills = Fills(x=partial(_tokens, v), parameters=scaled(0.25))
            shapes = (b * t,), (b * t, v)
            title = f"{name}, {'·'.join(map(str, size))}"
            cases.append(layer_case(title, layer, function, shapes, fills, 200, 6 if quick else 30, sizes=_whole))
    return judge_all(cases)


def _tokens(bound: int, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.integers(0, bound, shape)


def _whole(function: Function, inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """The size of each array as a whole: what its elements are summed from is thousands of terms deep."""
    return whole_sizes(evaluate(function, inputs, dy, torch.float64))


def whole_sizes(exact: Mapping[str, Array]) -> dict[str, Array]:
    """For each array of a model's results its root mean square, but no less than a thousandth of the largest."""
    sizes = {name: float(np.sqrt(np.mean(np.square(array)))) for name, array in exact.items()}
    least = 1e-3 * max(sizes.values())  # attention over one position has no gradient: what there is, is cancelled terms
    return {name: np.full(array.shape, max(sizes[name], least)) for name, array in exact.items()}


def in_torch(
    size: tuple[int, ...],
    names: list[str],
    tied: bool,
    x: torch.Tensor,
    *,
    eps: float = EPS,
    base: float = BASE,
    **leaves: torch.Tensor,
) -> torch.Tensor:
    """The logits of PyTorch's functions, in the type of the leaves; they and `size` are the layers' model's."""
    b, t, _, _, kv, g, half, _, depth = size
    weights = iter([leaves[name] for name in names])
    table = next(weights)
    h = table[x]
    for _ in range(depth):
        a = _norm(h, next(weights), eps)
        q, k, v = (a @ next(weights).T for _ in range(3))
        h = h + _attended(b, t, kv, g, half, base, q, k, v) @ next(weights).T
        a = _norm(h, next(weights), eps)
        h = h + (of.silu(a @ next(weights).T) * (a @ next(weights).T)) @ next(weights).T
    h = _norm(h, next(weights), eps)
    return h @ (table if tied else next(weights)).T


def _norm(x: torch.Tensor, gain: torch.Tensor, eps: float) -> torch.Tensor:
    return of.rms_norm(x, (x.shape[1],), gain.reshape(-1), eps)


def _attended(
    b: int, t: int, kv: int, g: int, half: int, base: float, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    def heads(x: torch.Tensor, count: int) -> torch.Tensor:
        return x.view(b, t, count, 2 * half).transpose(1, 2)

    angles = torch.arange(t, dtype=torch.float64)[:, None] * base ** (-torch.arange(half, dtype=torch.float64) / half)
    c, s = angles.cos().to(q.dtype), angles.sin().to(q.dtype)

    def rotated(x: torch.Tensor) -> torch.Tensor:
        one, two = x.chunk(2, -1)
        return torch.cat((one * c - two * s, two * c + one * s), -1)

    y = of.scaled_dot_product_attention(
        rotated(heads(q, kv * g)), rotated(heads(k, kv)), heads(v, kv), is_causal=True, enable_gqa=True
    )
    return y.transpose(1, 2).reshape(b * t, -1)
