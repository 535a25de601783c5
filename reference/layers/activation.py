"""What the comparisons of the activations share: their inputs, and the size of the terms of a gradient.

Inputs are normal, small, wide, huge and below the normal range, at the thresholds of our formulas and of float32's
exponential, and the edge values. The gradient of x·g(x) is g + x·g', which cancels where the function is least; an
error counts beside g there.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import torch

from bendtorch import Layer
from reference.compare import Case, Draw, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, normal, planted, scaled
from reference.layers.passes import passes
from reference.pytorch import Function, evaluate

SIZES: Final = ((0, 3), (1, 1), (7, 129), (32, 64), (3, 32_768))
EDGES: Final = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 1e20, -1e20)
THRESHOLDS: Final = (0.7, 1.0, 1.414, 4.0, 5.656, 8.0, 9.01, 14.2, 14.5, 17.0, 87.4, 88.7, 88.8, 103.9, 104.1, 150.0)

KINDS: Final[dict[str, Fill]] = {
    "small": scaled(1e-3),
    "wide": scaled(5),
    "very wide": scaled(40),
    "huge": scaled(1e20),
    "below the normal range": scaled(1e-40),
    "thresholds": planted(normal, *THRESHOLDS, *(-value for value in THRESHOLDS)),
    "edge values": planted(normal, *EDGES),
}


def activation_rows(
    layer: Callable[[int, int], Layer[Any, Any, Any, Any]],
    function: Function,
    tolerance: float,
    gate: Function | None = None,
) -> Iterator[Row]:
    """The verdicts on an activation. For one of the form x·g(x), `gate` is g in a form that is exact in float64."""
    cases = [_case(layer, f"normal, {n}×{c}", (n, c), function, normal, tolerance, gate) for n, c in SIZES]
    cases += [_case(layer, kind, (33, 65), function, fill, tolerance, gate) for kind, fill in KINDS.items()]
    return judge_all(cases)


def _case(
    layer: Callable[[int, int], Layer[Any, Any, Any, Any]],
    name: str,
    size: tuple[int, int],
    function: Function,
    fill: Fill,
    tolerance: float,
    gate: Function | None,
) -> Case:
    made = layer(*size)

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        x, dy = fill(rng, size), normal(rng, size)
        exact = evaluate(function if gate is None else lambda x: x * gate(x), {"x": x}, dy, torch.float64)
        return Draw(
            ours=passes(made, {"x": x}, dy),
            theirs=evaluate(function, {"x": x}, dy, torch.float32),
            exact=exact,
            scale={} if gate is None else {"dx": _gate(x, exact["y"]) * np.abs(dy)},
        )

    return Case(name, draw, tolerance)


def _gate(x: Array, y: Array) -> Array:
    """The size of g where y = x·g."""
    with np.errstate(all="ignore"):
        gate: Array = np.abs(y / x)
    return gate
