"""Products of many matrices: all transposes, one matrix for all, any number of threads; beside float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.kernels.batch_products import batch_product
from bendtorch.kernels.products import matmul_nn
from tests.support.arrays import same_bits
from tests.support.sizes import seeds, shrunk
from tests.support.threads import at_every_count

sizes = st.sampled_from([1, 2, 3, 5, 17, shrunk(70, 8)])
flags = st.booleans()


def _stored(rng: Any, b: int, rows: int, columns: int, turned: bool, shared: bool) -> tuple[Any, Any]:
    """Matrices as they are stored, and as they are meant."""
    shape = (1 if shared else b, columns, rows) if turned else (1 if shared else b, rows, columns)
    stored = rng.standard_normal(shape, np.float32)
    return stored, np.broadcast_to(np.swapaxes(stored, 1, 2) if turned else stored, (b, rows, columns))


def _product(b: int, m: int, n: int, k: int, ta: bool, tb: bool, left: Any, right: Any) -> Any:
    out = np.full((b, m, n), np.nan, np.float32)
    steps = [0 if a.shape[0] == 1 else m_k for a, m_k in ((left, m * k), (right, k * n))]
    batch_product(ta, tb, left.reshape(-1), steps[0], right.reshape(-1), steps[1], out, k)
    return out


@settings(max_examples=60)
@given(st.integers(1, 4), sizes, sizes, sizes, flags, flags, flags, seeds)
def test_it_is_close_to_float64(b: int, m: int, n: int, k: int, ta: bool, tb: bool, shared: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, x = _stored(rng, b, m, k, ta, False)
    right, y = _stored(rng, b, k, n, tb, shared)
    out = _product(b, m, n, k, ta, tb, left, right)
    x, y = x.astype(np.float64), y.astype(np.float64)
    assert np.all(np.abs(out - x @ y) <= (k + 1) * 2.0**-24 * (np.abs(x) @ np.abs(y)))


def test_each_has_the_bits_of_one_product() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((3, 33, 20), np.float32), rng.standard_normal((3, 20, 41), np.float32)
    out = _product(3, 33, 41, 20, False, False, left, right)
    for i in range(3):
        one = np.empty((33, 41), np.float32)
        matmul_nn(left[i], right[i], one)
        assert same_bits(out[i], one)


def test_any_number_of_threads_gives_the_same() -> None:
    rng, size = np.random.default_rng(0), shrunk(200, 9)
    left, right = rng.standard_normal((2, 3, size), np.float32), rng.standard_normal((1, size, size), np.float32)
    results = at_every_count(lambda: _product(2, 3, size, size, False, False, left, right))
    assert all(same_bits(result, results[0]) for result in results)
