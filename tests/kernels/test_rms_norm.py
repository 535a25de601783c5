"""RMSNorm's kernels over several chunks and runs of rows: every row as it is alone, at any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels.rms_norm import rms_norm_again, rms_norm_backward, rms_norm_forward
from bendtorch.kernels.row_runs import ROWS
from tests.support.arrays import numbers, same_bits
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count

FORWARD: Any = rms_norm_forward
BACKWARD: Any = rms_norm_backward


def compute(x: Any, dy: Any, w: Any) -> tuple[Any, Any, Any]:
    """y, dx and the gain's gradient."""
    n, y, dx, gw = len(x), np.empty_like(x), np.empty_like(x), np.zeros_like(w)
    roots = np.empty((n, 1), np.float32)
    FORWARD(x, w, 1e-5, y, roots)
    BACKWARD(x, roots, w, dy, dx, gw)
    return y, dx, gw


@pytest.mark.parametrize(("n", "c"), [(1, 1), (ROWS + 1, 3), (shrunk(5001, 40), 7), (shrunk(130, 5), 513)])
def test_every_row_is_as_it_is_alone(n: int, c: int) -> None:
    x, dy, w = numbers(0, n, c), numbers(1, n, c), numbers(2, 1, c)
    (y, dx, gw), *others = at_every_count(lambda: compute(x, dy, w))
    assert all(all(map(same_bits, (y, dx, gw), other)) for other in others)
    for r in range(0, n, 1 + n // 20):
        alone = compute(x[r : r + 1], dy[r : r + 1], w)
        assert same_bits(y[r], alone[0][0])
        assert same_bits(dx[r], alone[1][0])


def test_long_sums_over_the_rows_lose_nothing() -> None:
    """A running float32 sum of 2^24 + 1 ones stops at 2^24; here ones are added to a large first row."""
    n = shrunk(3000, 40)
    dy = np.ones((n, 1), np.float32)
    dy[0] = 2.0**24
    x = np.ones((n, 1), np.float32)
    gw = compute(x, dy, np.ones((1, 1), np.float32))[2]
    exact = (2.0**24 + n - 1) / np.sqrt(1 + 1e-5)
    assert abs(gw[0, 0] - exact) <= 2.0**-24 * exact * 2 + ROWS


def test_the_output_once_more_has_its_bits() -> None:
    x, w, roots = numbers(0, shrunk(700, 9), 33), numbers(1, 1, 33), np.empty((shrunk(700, 9), 1), np.float32)
    y = np.empty_like(x)
    FORWARD(x, w, 1e-5, y, roots)

    def again() -> Any:
        out = np.full_like(x, np.nan)
        rms_norm_again(x, w, roots, out)
        return out

    assert all(same_bits(out, y) for out in at_every_count(again))
