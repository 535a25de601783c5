"""ReLU's kernels. Each number is read once and written once: 8 bytes forward, 12 backward, hardly any arithmetic."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunks_of, parallel_for

CHUNK: Final = 1 << 15  # numbers a chunk: 128 KiB, some 10 microseconds
ZERO: Final = np.float32(0)


@helper
def _relu(x: Flat, y: Flat) -> None:
    for i in range(x.size):
        y[i] = ZERO if x[i] < ZERO else x[i]  # so that NaN and -0 pass


@helper
def _relu_gradient(y: Flat, dy: Flat, dx: Flat) -> None:
    for i in range(y.size):
        dx[i] = ZERO if y[i] <= ZERO else dy[i]


@kernel
def _relu_chunk(chunk: int, x: Flat, y: Flat) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, x.size)
    _relu(x[low:high], y[low:high])


@kernel
def _gradient_chunk(chunk: int, y: Flat, dy: Flat, dx: Flat) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, y.size)
    _relu_gradient(y[low:high], dy[low:high], dx[low:high])


@kernel
def relu_forward(x: Matrix, y: Matrix) -> None:
    """y = x where x > 0, else 0; NaN and -0 stay."""
    parallel_for(_relu_chunk, chunks_of(x.size, CHUNK), (x.ravel(), y.ravel()))


@kernel
def relu_backward(y: Matrix, dy: Matrix, dx: Matrix) -> None:
    """dx = +0 where y <= 0, else dy."""
    parallel_for(_gradient_chunk, chunks_of(y.size, CHUNK), (y.ravel(), dy.ravel(), dx.ravel()))
