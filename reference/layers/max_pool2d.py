"""MaxPool2d beside `F.max_pool2d`: which cell is the largest must be the same, NaN, ties and infinities included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from bendtorch import MaxPool2d
from reference.compare import Case, Row, judge_all
from reference.errors import Array
from reference.inputs import normal, planted, scaled
from reference.layers.passes import Fills, layer_case
from reference.pytorch import Function, evaluate

# n, c, h, w, k, stride, padding
SIZES: Final = (
    (0, 2, 4, 4, 2, 2, 0),
    (1, 1, 1, 1, 1, 1, 0),
    (5, 3, 9, 7, 2, 2, 0),
    (3, 4, 7, 7, 7, 7, 0),
    (8, 16, 28, 28, 2, 2, 0),
    (4, 5, 29, 31, 3, 2, 1),
    (2, 3, 21, 22, 3, 1, 1),
    (2, 3, 21, 22, 2, 3, 1),
    (2, 2, 130, 140, 4, 1, 2),
)
EDGES: Final = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38)
TOLERANCE: Final = 8.0  # roundings of a sum of at most 16 terms; a sum of one is exact


def ties(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """A few numbers again and again, zeros of both signs among them."""
    return rng.choice(np.array([-1, -0.0, 0.0, 1], np.float32), shape)


def specials(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Mostly minus infinity, with NaN and infinities."""
    return rng.choice(np.array([-np.inf, -np.inf, -np.inf, -np.inf, np.nan, np.inf, 1], np.float32), shape)


KINDS: Final = {
    "ties": Fills(x=ties),
    "NaN and infinities in x": Fills(x=specials),
    "edge values in x": Fills(x=planted(normal, *EDGES)),
    "edge values in dy": Fills(dy=planted(normal, *EDGES)),
    "large": Fills(x=scaled(5e37), dy=scaled(1e37)),
    "below the normal range": Fills(x=scaled(1e-40), dy=scaled(1e-40)),
}


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on MaxPool2d."""
    cases = [_case("normal", Fills(), size) for size in SIZES]
    return judge_all(cases + [_case(kind, fills, size) for kind, fills in KINDS.items() for size in SIZES[2:8]])


def _case(kind: str, fills: Fills, size: tuple[int, ...]) -> Case:
    n, c, h, w, k, stride, padding = size

    def function(x: torch.Tensor) -> torch.Tensor:
        y = functional.max_pool2d(x.reshape(n, c, h, w), k, stride, padding)
        return y.reshape(n, c * y.shape[2] * y.shape[3])

    layer: Any = MaxPool2d(n, c, h, w, k, stride=stride, padding=padding)
    name = f"{kind}, {n}×{c}×{h}×{w}, {k}×{k}, stride {stride}, padding {padding}"
    shapes = layer.info.takes.shape, layer.info.gives.shape
    return layer_case(name, layer, function, shapes, fills, TOLERANCE, 50, sizes=_term_sizes)


def _term_sizes(function: Function, inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """dx is a sum of some of dy: the size that it would have if their signs were random."""
    squares = evaluate(function, inputs, np.square(dy.astype(np.float64)), torch.float64)
    return {"dx": np.sqrt(squares["dx"])}
