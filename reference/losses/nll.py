"""NLL beside `F.nll_loss`. The gradient is one number a row, rounded once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import nll_loss

from bendtorch import NLL
from reference.compare import Case, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, mixed, normal, planted, scaled
from reference.losses.cases import Inputs, loss_case

SIZES: Final = ((1, 1), (1, 10), (7, 129), (32, 10), (256, 1000), (3, 200_000))


def likely(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """The logarithms of a softmax."""
    logits = normal(rng, shape).astype(np.float64)
    return (logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))).astype(np.float32)


KINDS: Final[tuple[tuple[str, Fill], ...]] = (
    ("large", scaled(1e30)),
    ("below the normal range", scaled(1e-40)),
    ("mixed sizes", mixed),
    ("infinities and NaN", planted(likely, *[-np.inf] * 60, *[np.inf] * 30, *[np.nan] * 30)),
)


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on NLL."""
    cases = [_case(f"log-softmax, {n}×{c}", n, c, likely) for n, c in SIZES]
    cases += [_case(kind, 33, 101, fill) for kind, fill in KINDS]
    cases += [
        _case("weight", 33, 101, likely, is_weighted=True),
        _case("ignore_index", 33, 101, likely, ignore_index=7),
    ]
    return judge_all([*cases, _case("both", 33, 101, likely, is_weighted=True, ignore_index=-100)])


def _case(name: str, n: int, c: int, fill: Fill, is_weighted: bool = False, **options: Any) -> Case:
    """One case of `n` rows of `c` log-probabilities: a mean of n terms, each rounded a few times."""
    weights = np.random.default_rng(c).random(c, np.float32) if is_weighted else None

    def function(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return nll_loss(x, target, None if weights is None else torch.from_numpy(weights).to(x.dtype), **options)

    def make(rng: np.random.Generator) -> Inputs:
        labels = rng.integers(0, c, n)
        if options:
            labels[rng.random(n) < 0.3] = options["ignore_index"]
            labels[0] = 0
        return {"x": fill(rng, (n, c)), "target": labels}

    return loss_case(name, NLL(n, c, weight=weights, **options), function, make, 1e4 if "mixed" in name else 200)
