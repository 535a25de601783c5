"""CrossEntropy beside `F.cross_entropy`.

The loss is measured against its own size. An element of the gradient, (p - [label]) / n, is measured against the larger
of itself and p / n, because at a sure label p - 1 is small and carries the rounding of p.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from bendtorch import CrossEntropy
from reference.compare import Case, Draw, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, mixed, normal, planted, scaled
from reference.pytorch import evaluate

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


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on CrossEntropy."""
    cases = [_case(f"normal, {n}×{c}", n, c, normal, at_random, 64) for n, c in (SIZES[:-1] if quick else SIZES)]
    cases += [_case(name, *SMALL, fill, labels, tolerance) for name, fill, labels, tolerance in KINDS]
    return judge_all(cases)


def _case(
    name: str,
    n: int,
    c: int,
    fill: Fill,
    label: Callable[[np.random.Generator, Array], Array],
    tolerance: float,
) -> Case:
    """One case of `n` rows of `c` logits."""
    loss = CrossEntropy(n, c)

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        logits = fill(rng, (n, c))
        labels = label(rng, logits)
        inputs = {"x": logits, "target": labels}
        ours, exact = loss(logits, labels), evaluate(cross_entropy, inputs, None, torch.float64)
        terms = exact["dx"].copy()
        terms[np.arange(n), labels] += 1 / n  # p / n everywhere
        return Draw(
            ours={"y": np.asarray(ours.loss), "dx": ours.dy},
            theirs=evaluate(cross_entropy, inputs, None, torch.float32),
            exact=exact,
            scale={"dx": np.abs(terms)},
        )

    return Case(name, draw, tolerance, most=3 if n * c > 1 << 20 else 200 if n * c > 1 << 14 else 4000)
