"""exp of numbers that are not positive, against float64 over their whole range."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.kernels.exp_nonpositive import exp_nonpositive
from tests.support.kernels import compiled
from tests.support.sizes import shrunk

STEP = shrunk(997, 2_000_003)  # of the bits of a float32
EXP: Any = exp_nonpositive


@compiled
def exp_all(x: Any, y: Any) -> None:
    for i in range(x.size):
        y[i] = EXP(x[i])


def exp(x: Any) -> Any:
    y = np.empty_like(x)
    with np.errstate(all="ignore"):
        exp_all(x, y)
    return y


def test_every_997th_number_is_within_nine_tenths_of_an_ulp() -> None:
    x = np.arange(0x80000000, 0xFF800001, STEP, dtype=np.int64).astype(np.uint32).view(np.float32)
    exact = np.exp(x.astype(np.float64))
    ulp = np.maximum(np.spacing(exact.astype(np.float32)).astype(np.float64), 2.0**-149)
    assert np.max(np.abs(exp(x) - exact) / ulp) <= 0.9


def test_edge_values() -> None:
    x = np.array([0, -0.0, -np.inf, -103.9, -1e30, np.nan, -np.nan], np.float32)
    y = exp(x)
    assert y[:5].tolist() == [1, 1, 0, 2.0**-149, 0]
    assert np.all(np.isnan(y[5:]))
