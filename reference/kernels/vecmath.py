"""`bendtorch.kernels.vecmath` on every float32 there is: the largest error in ulps, against float64.

An ulp is the distance of the float32 numbers around the exact result (2^-149 below the normal range). The inputs are
all 2^32 patterns of bits, or every 1021st with `--quick` (a prime, so that it meets all exponents and mantissas alike).
NaN must give NaN, and a result that float32 cannot hold infinity.

The inputs go through in blocks, on all processors: the kernels here run without the GIL.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numba
import numpy as np
import torch

from bendtorch.kernels import vecmath
from reference.compare import Row
from reference.errors import LARGEST, LEAST_NORMAL, Array

Evaluate: TypeAlias = Callable[[Array], Array]

INPUTS: Final = 1 << 32
BLOCK: Final = 1 << 18
STRIDE: Final = 1021
OVERFLOW: Final = LARGEST * (1 + 2.0**-25)  # rounds to infinity from here on
SMALLEST: Final = 2.0**-149
EXP_BOUND: Final = 1.0

jit: Final = numba.njit(nogil=True, error_model="numpy")


@dataclass(frozen=True, slots=True)
class Worst:
    """The largest error of a sweep, in ulps, where it is, and how many results are NaN or infinity wrongly (or not)."""

    ulps: float
    at: float
    wrong: int

    def __str__(self) -> str:
        return f"{self.ulps:.3f} ulp at {self.at:.9g}"


@jit
def _exp(x: Array, y: Array) -> None:
    for i in range(x.size):
        y[i] = vecmath.exp(x[i])


@jit
def _exp_errors(x: Array, y: Array) -> tuple[float, int, int]:
    """The largest error of y = exp(x), its place, and the number of wrong kinds of results."""
    worst, place, wrong = 0.0, 0, 0
    for i in range(x.size):
        result, exact = np.float64(y[i]), math.exp(np.float64(x[i]))
        if math.isnan(exact) or exact >= OVERFLOW:
            wrong += not (math.isnan(result) if math.isnan(exact) else result == np.inf)
            continue
        ulp = math.ldexp(1.0, math.frexp(exact)[1] - 24) if exact >= LEAST_NORMAL else SMALLEST
        error = abs(result - exact) / ulp
        if not error < np.inf:
            wrong += 1
        elif error > worst:
            worst, place = error, i
    return worst, place, wrong


def _our_exp(x: Array) -> Array:
    y = np.empty_like(x)
    _exp(x, y)
    return y


def _their_exp(x: Array) -> Array:
    return torch.exp(torch.from_numpy(x)).numpy()


def sweep(evaluate: Evaluate, errors: Any, stride: int) -> Worst:
    """The worst of `evaluate` over every `stride`-th pattern of bits."""
    starts = range(0, INPUTS, BLOCK * stride)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        found = list(threads.map(partial(_block, evaluate, errors, stride), starts))
    worst = max(found, key=lambda block: block.ulps)
    return Worst(worst.ulps, worst.at, sum(block.wrong for block in found))


def _block(evaluate: Evaluate, errors: Any, stride: int, start: int) -> Worst:
    """The worst of one block of patterns."""
    patterns = np.arange(start, min(start + BLOCK * stride, INPUTS), stride, dtype=np.uint32)
    x = patterns.view(np.float32)
    ulps, place, wrong = errors(x, evaluate(x))
    return Worst(ulps, float(x[place]), wrong)


def rows(quick: bool) -> Iterator[Row]:
    """The verdict on each function. PyTorch's is always taken with the stride: it is only there to compare with."""
    ours = sweep(_our_exp, _exp_errors, STRIDE if quick else 1)
    theirs = sweep(_their_exp, _exp_errors, STRIDE)
    fault = ""
    if ours.wrong:
        fault = f"{ours.wrong} results are NaN or infinite wrongly, or should be"
    elif ours.ulps > EXP_BOUND:
        fault = f"more than {EXP_BOUND} ulp"
    name = f"every {STRIDE}st float32" if quick else "all 2^32 inputs"
    yield Row(f"exp, {name}", "y", str(ours), str(theirs), f"{ours.ulps / theirs.ulps:.2f}", fault=fault)
