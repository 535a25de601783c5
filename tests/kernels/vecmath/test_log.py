"""log against float64."""

from __future__ import annotations

import numpy as np
import pytest

from bendtorch.kernels.vecmath import log as scalar
from tests.support.arrays import same_bits
from tests.support.elementary import between, on_arrays, worst, worst_of_all

log = on_arrays(scalar)


def test_every_1009th_float32() -> None:
    assert worst_of_all(log, np.log) <= 1.0


@pytest.mark.parametrize(("low", "high"), [(0.5, 2.0), (0.999, 1.001), (0.66, 0.67), (1.33, 1.34), (0, 1e-37)])
def test_near_one_at_the_ends_of_the_polynomial_and_below_the_normal_range(low: float, high: float) -> None:
    assert worst(log, np.log, between(low, high)) <= 1.0


def test_special_values() -> None:
    y = log(np.array([0.0, -0.0, np.inf, 1, -np.inf, -1, -1e-45, np.nan], np.float32))
    assert same_bits(y[:4], np.array([-np.inf, -np.inf, np.inf, 0], np.float32))
    assert np.all(np.isnan(y[4:]))
