"""Softmax beside `torch.softmax`.

A probability is measured against its own size: its error is mostly that of x - m, which the exponential magnifies. An
element of dx = y·(dy - Σ y·dy) is measured against the size of its terms. Rows that are all -inf are left out: PyTorch
gives NaN there, ours zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from bendtorch import Layer, Softmax
from reference.compare import Case, Row, judge_all
from reference.errors import Array
from reference.inputs import cancelling, mixed, near_ones, normal, planted, scaled
from reference.layers.passes import Fills, Scale, layer_case
from reference.pytorch import Function

SIZES: Final = ((0, 3), (1, 1), (1, 2), (7, 10), (32, 64), (33, 65), (100, 128), (9, 1000), (2, 200_000))
SMALL: Final = (33, 101)


def shifted(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Logits around a large number, which softmax does not see."""
    return normal(rng, shape) + np.float32(1000)


def sure(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Logits of a trained model: one class of each row stands out by about 12."""
    logits = normal(rng, shape)
    logits[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] += np.float32(12)
    return logits


KINDS: Final = {
    "wide": Fills(x=scaled(20)),
    "huge": Fills(x=scaled(1e4)),
    "largest": Fills(x=scaled(1e37)),
    "tiny": Fills(x=scaled(1e-20)),
    "mixed sizes": Fills(x=mixed),
    "around 1000": Fills(x=shifted),
    "sure": Fills(x=sure),
    "dy nearly even": Fills(dy=near_ones),
    "dy cancelling": Fills(dy=cancelling),
    "dy below the normal range": Fills(dy=scaled(1e-39)),
    "some -inf": Fills(x=planted(normal, -np.inf, -np.inf)),
    "a number +inf": Fills(x=planted(normal, np.inf)),
    "a number NaN": Fills(x=planted(normal, np.nan)),
    "infinity and NaN in dy": Fills(dy=planted(normal, np.inf, np.nan)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Softmax."""
    return judge_all(softmax_cases(Softmax, partial(torch.softmax, dim=1), scale, quick))


def softmax_cases(
    layer: Callable[[int, int], Layer[Any, Any, Any, Any]], function: Function, terms: Scale, quick: bool
) -> list[Case]:
    """All sizes on normal numbers, then all kinds of numbers on one size."""
    cases = [
        _case(layer, function, terms, f"normal, {n}×{c}", (n, c), Fills()) for n, c in SIZES[: -1 if quick else None]
    ]
    return cases + [_case(layer, function, terms, kind, SMALL, fills) for kind, fills in KINDS.items()]


def _case(
    layer: Callable[[int, int], Layer[Any, Any, Any, Any]],
    function: Function,
    terms: Scale,
    name: str,
    size: tuple[int, int],
    fills: Fills,
) -> Case:
    """One case. An exponential may be off by the rounding of its argument: 104 roundings at the end of its range."""
    most = 4 if size[0] * size[1] > 1 << 17 else 200
    return layer_case(name, layer(*size), function, (size, size), fills, 250, most, terms)


def scale(inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """The terms of dx: y·dy, and y times each y·dy."""
    y = torch.softmax(torch.from_numpy(inputs["x"]), 1).numpy()
    return {"dx": y * np.sqrt(np.square(dy) + np.square(y * dy).sum(axis=1, keepdims=True))}
