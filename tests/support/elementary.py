"""Elementary functions on float32 beside float64, over all of float32 in strides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from bendtorch.kernels.compile import helper
from bendtorch.kernels.mapping import mapped
from tests.support.sizes import shrunk

STRIDE: Final = shrunk(1009, 1_500_007)
PIECE: Final = 1 << 20
SPECIAL: Final = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-45, 1e-38, -1e-38, 1, -1], np.float32
)


def on_arrays(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of a number as one of an array of any shape."""

    @helper
    def inlined(x: Any) -> Any:
        return function(x)

    kernel = mapped(inlined)

    def evaluate(x: Any) -> Any:
        rows = np.ascontiguousarray(x).reshape(1, -1)
        out = np.empty_like(rows)
        kernel(rows, out)
        return out.reshape(x.shape)

    return evaluate


def patterns() -> Iterator[Any]:
    """Every 1009th float32 by its bits, in pieces."""
    for start in range(0, 2**32, STRIDE * PIECE):
        words = np.arange(start, min(2**32, start + STRIDE * PIECE), STRIDE, dtype=np.int64).astype(np.uint32)
        yield words.view(np.float32)


def ulps(actual: Any, exact: Any) -> Any:
    """The distance in units of the last place of float32 at the exact value; infinity counts as 2^128."""
    most = 3.4028234663852886e38
    _, exponent = np.frexp(np.clip(exact, -most, most))
    unit = np.ldexp(1.0, np.maximum(exponent, -125) - 24)
    wide = np.clip(actual.astype(np.float64), -(2.0**128), 2.0**128)
    return np.abs(wide - np.clip(exact, -(2.0**128), 2.0**128)) / unit


def worst(evaluate: Callable[[Any], Any], exact: Callable[[Any], Any], x: Any) -> float:
    """The largest error in ulps. NaN, infinities and the signs of zeros must be those of the exact results."""
    with np.errstate(all="ignore"):
        wanted = exact(x.astype(np.float64))
    y = evaluate(x)
    number = ~np.isnan(wanted)
    assert np.array_equal(np.isnan(y), ~number)
    y, wanted = y[number], wanted[number]
    zero = wanted == 0
    assert not y[zero].any()
    assert np.array_equal(np.signbit(y[zero]), np.signbit(wanted[zero]))
    return float(ulps(y, wanted).max(initial=0.0))


def worst_of_all(evaluate: Callable[[Any], Any], exact: Callable[[Any], Any]) -> float:
    """The largest error over every 1009th float32."""
    return max(worst(evaluate, exact, x) for x in patterns())


def between(low: float, high: float) -> Any:
    """Many numbers from `low` to `high`."""
    return np.linspace(low, high, shrunk(200_000, 500), dtype=np.float32)
