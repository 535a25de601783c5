"""What the losses over labels share: weights of the classes, a label that is ignored, the checks of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, IndexRangeError, ShapeError
from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.labels import first_outside
from bendtorch.shapes.arrays import FlatF32, Ids, Mat
from bendtorch.shapes.dims import C, N
from bendtorch.shapes.guard import guard_ids, guard_mat
from bendtorch.shapes.spec import check_sizes

Weights: TypeAlias = FlatF32 | Sequence[float]
"""A number for each class."""

TORCH_IGNORES: Final = -100
LEAVES_OUT: Final = f"ignore_index={TORCH_IGNORES} leaves it out"


@dataclass(frozen=True, eq=False)
class Classes:
    """The labels of `n` rows, each one of `c` classes; made by `classes`.

    `ignored` is the label that kernels skip (-1 where there is none, which no checked label is), `allowed` the one that
    need not be in the range (0 where there is none), `weights` the weight of each class.
    """

    name: str
    n: int
    c: int
    ignored: int
    allowed: int
    weights: Flat

    def check(
        self, y: Mat[N, C], target: Ids[N], argument: str = "target", advice: str = LEAVES_OUT
    ) -> tuple[Mat[N, C], Ids[N]]:
        """The two arrays as kernels take them; refuses a batch that has no mean, and labels out of range.

        `argument` is what the caller calls the labels, `advice` how a row of PyTorch's ignored label is left out.
        """
        outputs, labels = guard_mat(y, (self.n, self.c), self.name, "y"), guard_ids(target, self.n, self.name, argument)
        refuse_empty(self.name, self.n)
        wrong = first_outside(labels, self.c, self.allowed)
        if wrong >= 0:
            hint = f"; {advice}" if labels[wrong] == TORCH_IGNORES else ""
            raise IndexRangeError(
                f"{self.name}: {argument}[{wrong}] is {labels[wrong]}, labels go from 0 to {self.c - 1}{hint}"
            )
        return outputs, labels


def classes(name: str, n: int, c: int, ignore_index: int | None, weight: Weights | None) -> Classes:
    """The labels of a loss; refuses impossible sizes and options."""
    check_sizes(name, n=n, c=c)
    weights = np.ones(c, np.float32) if weight is None else _weights(name, c, weight)
    if ignore_index is None:
        return Classes(name, n, c, ignored=-1, allowed=0, weights=weights)
    if isinstance(ignore_index, bool) or not isinstance(ignore_index, int) or not -(2**63) <= ignore_index < 2**63:
        raise ConfigError(f"{name}: ignore_index must be an int that fits int64, or None, got {ignore_index!r}")
    return Classes(name, n, c, ignored=ignore_index, allowed=ignore_index, weights=weights)


def refuse_empty(name: str, n: int) -> None:
    """Refuse a batch without rows."""
    if n == 0:
        raise ShapeError(f"{name}: the mean over an empty batch is not defined; skip empty batches")


def _weights(name: str, c: int, weight: Weights) -> Flat:
    """A copy of the classes' weights as float32."""
    wanted = f"{name}: weight must be {c} finite numbers of at least 0 (float32 where they are an array)"
    if isinstance(weight, np.ndarray):
        if weight.dtype != np.float32:
            raise ConfigError(f"{wanted}, got an array of {weight.dtype}; convert it with weight.astype(np.float32)")
    elif not isinstance(weight, Sequence) or isinstance(weight, (str, bytes)):
        raise ConfigError(f"{wanted}, got {type(weight).__name__}")
    elif any(isinstance(number, bool) or not isinstance(number, (int, float)) for number in weight):
        raise ConfigError(f"{wanted}, got {weight!r}")
    if np.shape(weight) != (c,):
        raise ConfigError(f"{wanted}, got an array of shape {list(np.shape(weight))}")
    exact = np.array(weight, np.float64).ravel()
    wrong = np.flatnonzero(~((exact >= 0) & (exact <= np.finfo(np.float32).max)))
    if wrong.size:
        raise ConfigError(f"{wanted}, weight[{wrong[0]}] is {exact[wrong[0]]}")
    return exact.astype(np.float32)
