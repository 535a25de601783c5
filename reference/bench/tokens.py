"""Embedding and RoPE, forward and backward, beside PyTorch's eager functions.

PyTorch's gradient of a table is a fresh one of the table's size; ours adds into one that is there. RoPE is the formula
of `transformers`, with its tables ready.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import embedding

from bendtorch import Embedding, Layer, RoPE
from reference.bench.registry import Contest, Row
from reference.errors import Array
from reference.inputs import normal
from reference.layers.rope import Formula
from reference.pytorch import Function

EMBEDDING: Final = ((32, 100, 16), (1024, 512, 576), (1024, 49_152, 576))
ROPE: Final = ((64, 64, 4, 16), (1024, 128, 9, 32), (4096, 1024, 16, 64))


class Prepared(Formula):
    """The formula with tables that are computed once."""

    def tables(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """cos and sin."""
        if "ready" not in self.__dict__:
            self.__dict__["ready"] = super().tables(x)
        ready: tuple[torch.Tensor, torch.Tensor] = self.__dict__["ready"]
        return ready


def rows() -> Iterator[Row]:
    """Both layers, for few numbers and for a language model's."""
    for n, v, d in EMBEDDING:
        for place, kind in enumerate(("forward", "backward")):
            prepare, moved = partial(_embedding, n, v, d, place), (8, 12)[place] * n * d
            yield Row(f"Embedding {kind} {n} of {v}×{d}", prepare, place * n * d, moved)
    for n, t, h, half in ROPE:
        for is_interleaved in (False, True):
            size = 2 * n * h * half
            for place, kind in enumerate(("forward", "backward")):
                name = f"RoPE{' interleaved' if is_interleaved else ''} {kind} {n}×{h}×{2 * half}"
                yield Row(name, partial(_rope, n, t, h, half, is_interleaved, place), 3 * size, 8 * size)


def _embedding(n: int, v: int, d: int, place: int) -> Contest:
    rng = np.random.default_rng(0)
    layer, ids, table = Embedding(n, v, d), rng.integers(0, v, n), normal(rng, (v, d))
    given = torch.tensor(table, requires_grad=True)
    return _contest(layer, partial(embedding, torch.from_numpy(ids)), table, ids, given, normal(rng, (n, d)), place)


def _rope(n: int, t: int, h: int, half: int, is_interleaved: bool, place: int) -> Contest:
    rng, shape = np.random.default_rng(0), (n, 2 * h * half)
    x, layer = normal(rng, shape), RoPE(n // t * t, t, h, half, interleaved=is_interleaved)
    given, formula = torch.tensor(x, requires_grad=True), Prepared(t, half, interleaved=is_interleaved)
    return _contest(layer, formula, (), x, given, normal(rng, shape), place)


def _contest(
    layer: Layer[Any, Any, Any, Any],
    function: Function,
    p: Any,
    x: Array,
    given: torch.Tensor,
    dy: Array,
    place: int,
) -> Contest:
    """The forward passes, or the backward passes with the gradient of `given`."""
    if place == 0:
        return Contest(lambda: layer.fwd(p, x), {"eager": lambda: function(given)})
    saved, g, y, wide = layer.fwd(p, x).s, layer.zeros(), function(given), torch.from_numpy(dy)
    return Contest(
        lambda: layer.bwd(p, saved, dy, g),
        {"eager": lambda: torch.autograd.grad(y, [given], wide, retain_graph=True)},
    )
