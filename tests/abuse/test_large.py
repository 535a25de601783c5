"""More numbers than an int32 counts: places in memory are worked out in 64 bits.

The arrays are memory that the system hands out when it is written, so what only reads them costs nothing. Kernels that
write results of that size run with BENDTORCH_LONG: they take 9 GB.
"""

from __future__ import annotations

import mmap
import os
from typing import Any, Final

import numpy as np
import pytest

from bendtorch import MSE, Linear, Softmax, Tanh
from bendtorch.kernels.flat import sum_of_squares
from bendtorch.kernels.sums import row_maxima, row_sums
from tests.support.sizes import shrunk

CELLS: Final = 2**31 + 64
COLUMNS: Final = 2**16
ROWS: Final = CELLS // COLUMNS + 1
WRITES: Final = pytest.mark.skipif(not os.environ.get("BENDTORCH_LONG"), reason="takes 9 GB; make abuse runs it")
pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs memory that is handed out when it is written"),
    pytest.mark.skipif(shrunk(1, 0) == 0, reason="takes minutes with the JIT off"),
]
layer: Any = Tanh
softmax: Any = Softmax
linear: Any = Linear
mse: Any = MSE


def untouched(*shape: int) -> Any:
    """Zeros that take no memory before they are written."""
    size = 4 * int(np.prod(shape, dtype=np.int64))
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    return np.frombuffer(mmap.mmap(-1, size, flags), np.float32).reshape(shape)


def test_sums_over_all_of_a_large_array() -> None:
    x = untouched(CELLS)
    x[-1], x[2**31 - 1], x[0] = 3, 2, 1
    assert sum_of_squares(x) == 14


def test_rows_at_the_end_of_a_large_matrix() -> None:
    x, out = untouched(ROWS, COLUMNS), np.empty((ROWS, 1), np.float32)
    x[-1, -1], x[-1, 0] = 3, 2
    row_sums(x, out)
    assert (out[-1, 0], out.sum()) == (5, 5)
    row_maxima(x, out)
    assert (out[-1, 0], out.sum()) == (3, 3)


def test_a_loss_over_a_large_matrix() -> None:
    y, target = untouched(ROWS, COLUMNS), untouched(ROWS, COLUMNS)
    y[-1, -1] = 2**10
    target[0, 0] = 2**10
    assert mse(ROWS, COLUMNS).value(y, target) == 2 * 2.0**20 / (ROWS * COLUMNS)


@WRITES
@pytest.mark.parametrize("make", [layer, softmax])
def test_layers_write_the_end_of_a_large_matrix(make: Any) -> None:
    x = untouched(ROWS, COLUMNS)
    x[-1, -1] = 1
    y = make(ROWS, COLUMNS).fwd((), x).y
    small = make(1, COLUMNS).fwd((), x[-1:].copy()).y
    assert np.array_equal(y[-1:], small)
    assert np.array_equal(y[-2], make(1, COLUMNS).fwd((), x[-2:-1].copy()).y[0])


@WRITES
def test_products_read_the_end_of_a_large_matrix() -> None:
    x, made = untouched(ROWS, COLUMNS), linear(ROWS, COLUMNS, 2)
    p = made.zeros()
    p.weight[1, -1], p.bias[0, 0] = 2, 1
    x[-1, -1] = 3
    y = made.fwd(p, x).y
    assert y[-1].tolist() == [1, 6]
    assert y[:-1].sum() == ROWS - 1
