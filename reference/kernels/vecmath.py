"""`bendtorch.kernels.vecmath` on every float32 there is: the largest error in ulps, against float64.

An ulp is the distance of the float32 numbers around the exact result (2^-149 below the normal range). The inputs are
all 2^32 patterns of bits, or every 1021st with `--quick` (a prime, so that it meets all exponents and mantissas alike).
NaN must give NaN, a result that float32 cannot hold infinity, and a zero must have the sign of the exact one.

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

jit: Final = numba.njit(nogil=True, error_model="numpy")


@dataclass(frozen=True)
class Function:
    """An elementary function: ours, its float64 value, PyTorch's, and the largest error that ours may have in ulps."""

    name: str
    ours: Any
    exact: Any
    theirs: Callable[[torch.Tensor], torch.Tensor]
    bound: float

    def evaluate(self) -> Evaluate:
        """Ours, on arrays."""
        function = self.ours

        @jit
        def loop(x: Array, y: Array) -> None:
            for i in range(x.size):
                y[i] = function(x[i])

        return partial(_filled, loop)

    def errors(self) -> Any:
        """A function of x and y: the largest error of y, its place, and the number of wrong kinds of results."""
        function = jit(self.exact)

        @jit
        def loop(x: Array, y: Array) -> tuple[float, int, int]:
            worst, place, wrong = 0.0, 0, 0
            for i in range(x.size):
                error = _error(np.float64(y[i]), function(np.float64(x[i])))
                if error > worst:
                    worst, place = error, i
                wrong += not error >= 0
            return worst, place, wrong

        return loop


@jit
def _error(result: float, exact: float) -> float:
    """The error in ulps; -1 where NaN, infinity or the sign of zero is wrong."""
    if math.isnan(exact):
        return 0.0 if math.isnan(result) else -1.0
    if abs(exact) >= OVERFLOW:
        return 0.0 if result == math.copysign(np.inf, exact) else -1.0
    if exact == 0 and (result != 0 or math.copysign(1.0, result) != math.copysign(1.0, exact)):
        return -1.0
    ulp = math.ldexp(1.0, math.frexp(exact)[1] - 24) if abs(exact) >= LEAST_NORMAL else SMALLEST
    error = abs(result - exact) / ulp
    return error if error < np.inf else -1.0


def _filled(loop: Any, x: Array) -> Array:
    y = np.empty_like(x)
    loop(x, y)
    return y


def _exp(x: float) -> float:
    return math.exp(x)


def _tanh(x: float) -> float:
    return math.tanh(x)


def _erf(x: float) -> float:
    return math.erf(x)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _log(x: float) -> float:
    return math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan)


FUNCTIONS: Final = (
    Function("exp", vecmath.exp, _exp, torch.exp, 1.0),
    Function("log", vecmath.log, _log, torch.log, 1.0),
    Function("tanh", vecmath.tanh, _tanh, torch.tanh, 1.3),
    Function("sigmoid", vecmath.sigmoid, _logistic, torch.sigmoid, 2.0),
    Function("erf", vecmath.erf, _erf, torch.erf, 0.93),
)


@dataclass(frozen=True, slots=True)
class Worst:
    """The largest error of a sweep, in ulps, where it is, and how many results are NaN or infinity wrongly (or not)."""

    ulps: float
    at: float
    wrong: int

    def __str__(self) -> str:
        return f"{self.ulps:.3f} ulp at {self.at:.9g}"


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
    """The verdict on each function."""
    for function in FUNCTIONS:
        yield _row(function, STRIDE if quick else 1)


def _row(function: Function, stride: int) -> Row:
    """PyTorch's is always taken with the stride: it is only there to compare with."""
    errors = function.errors()
    ours = sweep(function.evaluate(), errors, stride)
    theirs = sweep(lambda x: function.theirs(torch.from_numpy(x)).numpy(), errors, STRIDE)
    fault = ""
    if ours.wrong:
        fault = f"{ours.wrong} results are NaN, infinite or of a wrong sign, or should be"
    elif ours.ulps > function.bound:
        fault = f"more than {function.bound} ulp"
    inputs = "all 2^32 inputs" if stride == 1 else f"every {stride}st float32"
    times = f"{ours.ulps / theirs.ulps:.2f}"
    return Row(f"{function.name}, {inputs}", "y", str(ours), str(theirs), times, fault=fault)
