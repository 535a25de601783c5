"""Causal attention with grouped heads, forward and backward, beside PyTorch's.

PyTorch is given what its models give it, matrices of heads seen as b × heads × t × width ("eager"), and also tensors
that were laid out that way before ("contiguous").
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from bendtorch import Attention
from reference.bench.registry import Call, Contest, Row
from reference.inputs import normal

SIZES: Final = ((8, 16, 2, 2, 8), (2, 128, 3, 3, 64), (4, 512, 3, 3, 64), (1, 2048, 4, 2, 64))


def rows() -> Iterator[Row]:
    """Both passes for small and for language models' sizes."""
    for sizes in SIZES:
        b, t, kv, g, hd = sizes
        name = f"{b}×{t}, {kv}·{g} heads of {hd}"
        pairs, matrix = b * kv * g * t * (t + 1) / 2, 4 * b * t * kv * hd
        yield Row(f"Attention forward {name}", partial(_forward, sizes), 4 * hd * pairs, (2 * g + 2) * matrix)
        yield Row(f"Attention backward {name}", partial(_backward, sizes), 10 * hd * pairs, (3 * g + 4) * matrix)


class Sides:
    """The same numbers on both sides."""

    def __init__(self, b: int, t: int, kv: int, g: int, hd: int) -> None:
        rng = np.random.default_rng(0)
        wide, narrow = (b * t, kv * g * hd), (b * t, kv * hd)
        q, k, v, self.dy = (normal(rng, shape) for shape in (wide, narrow, narrow, wide))
        make: Any = Attention
        self.layer, self.x = make(b, t, kv, g, hd), (q, (k, v))

        def heads(matrix: Any, count: int) -> torch.Tensor:
            return torch.tensor(matrix).reshape(b, t, count, hd).transpose(1, 2)

        views = [heads(q, kv * g), heads(k, kv), heads(v, kv)]
        self.tensors = {
            "eager": [view.clone().requires_grad_() for view in views],  # a clone keeps the strides
            "contiguous": [view.contiguous().requires_grad_() for view in views],
        }
        self.gradient = heads(self.dy, kv * g)


def _attend(tensors: list[torch.Tensor]) -> torch.Tensor:
    q, k, v = tensors
    return scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)


def _forward(sizes: tuple[int, int, int, int, int]) -> Contest:
    sides = Sides(*sizes)
    rivals: dict[str, Call] = {name: partial(_attend, tensors) for name, tensors in sides.tensors.items()}
    return Contest(lambda: sides.layer.fwd((), sides.x), rivals)


def _backward(sizes: tuple[int, int, int, int, int]) -> Contest:
    sides = Sides(*sizes)
    saved = sides.layer.fwd((), sides.x).s
    rivals: dict[str, Call] = {}
    for name, tensors in sides.tensors.items():
        y, dy = _attend(tensors), sides.gradient if name == "eager" else sides.gradient.contiguous()
        rivals[name] = partial(torch.autograd.grad, y, tensors, dy, retain_graph=True)
    return Contest(lambda: sides.layer.bwd((), saved, sides.dy, ()), rivals)
