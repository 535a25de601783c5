"""CrossEntropy beside `F.cross_entropy`.

The loss is measured against its own size. An element of the gradient, (p - [label]) / n, is measured against the larger
of itself and p / n, because at a sure label p - 1 is small and carries the rounding of p.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from bendtorch import CrossEntropy
from reference.compare import Case, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, mixed, normal, planted, scaled
from reference.losses.cases import Inputs, loss_case

SIZES: Final = ((1, 1), (1, 2), (1, 10), (7, 129), (32, 10), (256, 1000), (3, 200_000), (256, 49_152))
SMALL: Final = (33, 101)


def sure(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Logits of a trained model: one class of each row stands out by about 12."""
    logits = normal(rng, shape)
    logits[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] += np.float32(12)
    return logits


def at_largest(rng: np.random.Generator, logits: Array) -> Array:
    """Labels that a trained model gets right."""
    largest: Array = np.nan_to_num(logits).argmax(axis=1)
    return largest


def at_random(rng: np.random.Generator, logits: Array) -> Array:
    """Labels that have nothing to do with the logits."""
    labels: Array = rng.integers(0, logits.shape[1], logits.shape[0])
    return labels


def shifted(by: float) -> Fill:
    """Logits around a large number, which softmax does not see."""
    return lambda rng, shape: normal(rng, shape) + np.float32(by)


# An exponential of float32 may be off by the rounding of its argument: 88 roundings at the end of its range, and by the
# logits' own spacing where they are large. The largest error of the loss of one row is a few roundings of 1.
KINDS: Final[tuple[tuple[str, Fill, Callable[[np.random.Generator, Array], Array], float], ...]] = (
    ("wide", scaled(20), at_random, 200),
    ("huge", scaled(1e4), at_random, 200),
    ("largest", scaled(1e37), at_random, 200),
    ("tiny", scaled(1e-20), at_random, 16),
    ("mixed sizes", mixed, at_random, 200),
    ("around 1000", shifted(1000), at_random, 64),
    ("sure and wrong", sure, at_random, 64),
    ("sure and right", sure, at_largest, 1e5),  # p - 1 is some 1e-3, and the loss is as small
    ("some logits -inf", planted(normal, -np.inf, -np.inf), at_largest, 64),
    ("a label at -inf", planted(normal, -np.inf), at_random, 64),
    ("a logit +inf", planted(normal, np.inf), at_random, 64),
    ("a logit NaN", planted(normal, np.nan), at_random, 64),
)


WITH_OPTIONS: Final = ("wide", "mixed sizes", "around 1000", "sure and right", "some logits -inf", "a logit NaN")
UNSEEN: Final = "a logit NaN"  # in an ignored row: ours does not see it, PyTorch's gradient of that row is NaN
OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {"weight": True},
    {"ignore_index": -100},
    {"label_smoothing": 0.1},
    {"weight": True, "ignore_index": 5, "label_smoothing": 0.3},
    {"weight": True, "label_smoothing": 1.0},
)


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on CrossEntropy."""
    cases = [_case(f"normal, {n}×{c}", n, c, normal, at_random, 64) for n, c in (SIZES[:-1] if quick else SIZES)]
    cases += [_case(name, *SMALL, fill, labels, tolerance) for name, fill, labels, tolerance in KINDS]
    for options in OPTIONS:
        name = ", ".join(options)
        cases += [_case(f"{name}, {n}×{c}", n, c, normal, at_random, 64, options) for n, c in SIZES[2:6]]
        for kind, fill, labels, tolerance in KINDS:
            if kind in WITH_OPTIONS and not (kind == UNSEEN and "ignore_index" in options):
                cases.append(_case(f"{name}, {kind}", *SMALL, fill, labels, tolerance, options))
    return judge_all(cases)


def _case(
    name: str,
    n: int,
    c: int,
    fill: Fill,
    label: Callable[[np.random.Generator, Array], Array],
    tolerance: float,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Case:
    """One case of `n` rows of `c` logits."""
    given = dict(options)
    weights = np.random.default_rng(c).random(c, np.float32) if given.pop("weight", False) else None

    def function(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return cross_entropy(x, target, None if weights is None else torch.from_numpy(weights).to(x.dtype), **given)

    def make(rng: np.random.Generator) -> Inputs:
        logits = fill(rng, (n, c))
        labels = label(rng, logits)
        if "ignore_index" in given:
            labels[rng.random(n) < 0.3] = given["ignore_index"]
            labels[0] = 0
        return {"x": logits, "target": labels}

    def terms(inputs: Inputs, dx: Array) -> Array:
        return np.abs(dx + _wanted(inputs["target"], c, weights, **given))  # p, times what it counts

    return loss_case(name, CrossEntropy(n, c, weight=weights, **given), function, make, tolerance, terms)


def _wanted(
    labels: Array, c: int, weights: Array | None, ignore_index: int | None = None, label_smoothing: float = 0.0
) -> Array:
    """How much each class of each row counts in the mean."""
    w, kept = np.ones(c) if weights is None else weights.astype(np.float64), labels != ignore_index
    onehot = np.arange(c) == labels[:, None]
    own = (onehot * w).sum(axis=1)
    share = kept / own[kept].sum()
    wanted: Array = share[:, None] * ((1 - label_smoothing) * onehot * w + label_smoothing * w / c)
    return wanted
