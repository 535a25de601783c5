"""The optimizers' kernels: one pass over weights, gradients and moments; the gradient comes back zeroed.

Adam reads and writes 28 bytes a number (w, g, m, v read; all four written), so it runs at the speed of memory. The
order of operations is PyTorch's (`torch.optim`, single tensor), which multiplies and adds with one rounding (fma).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.parallel import chunks_of, parallel_for
from bendtorch.kernels.vecmath import fma

CHUNK: Final = 1 << 14  # numbers a chunk
ZERO: Final = np.float32(0)


@helper
def _sgd(w: Flat, g: Flat, lr: np.float32) -> None:
    for i in range(w.size):
        w[i] = fma(-lr, g[i], w[i])
        g[i] = ZERO


@helper
def _momentum(w: Flat, g: Flat, m: Flat, lr: np.float32, mu: np.float32) -> None:
    for i in range(w.size):
        m[i] = m[i] * mu + g[i]
        w[i] = fma(-lr, m[i], w[i])
        g[i] = ZERO


@helper
def _adam(w: Flat, g: Flat, m: Flat, v: Flat, numbers: Flat) -> None:
    decay, added, beta2, c1, c2 = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    step, denominator, eps = numbers[5], numbers[6], numbers[7]
    for i in range(w.size):
        gradient = fma(added, w[i], g[i]) if added != ZERO else g[i]  # 0 · w would be NaN for an infinite w
        mean = fma(c1, gradient - m[i], m[i])
        square = fma(c2 * gradient, gradient, v[i] * beta2)
        m[i] = mean
        v[i] = square
        w[i] = w[i] * decay + (-step * mean) / (np.sqrt(square) / denominator + eps)
        g[i] = ZERO


@kernel
def _sgd_chunk(chunk: int, w: Flat, g: Flat, lr: np.float32) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, w.size)
    _sgd(w[low:high], g[low:high], lr)


@kernel
def _momentum_chunk(chunk: int, w: Flat, g: Flat, m: Flat, lr: np.float32, mu: np.float32) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, w.size)
    _momentum(w[low:high], g[low:high], m[low:high], lr, mu)


@kernel
def _adam_chunk(chunk: int, w: Flat, g: Flat, m: Flat, v: Flat, numbers: Flat) -> None:
    low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, w.size)
    _adam(w[low:high], g[low:high], m[low:high], v[low:high], numbers)


@kernel
def sgd(w: Flat, g: Flat, lr: np.float32) -> None:
    """w = w + (-lr)·g."""
    parallel_for(_sgd_chunk, chunks_of(w.size, CHUNK), (w, g, lr))


@kernel
def momentum(w: Flat, g: Flat, m: Flat, lr: np.float32, mu: np.float32) -> None:
    """m = m·mu + g; w = w + (-lr)·m."""
    parallel_for(_momentum_chunk, chunks_of(w.size, CHUNK), (w, g, m, lr, mu))


@kernel
def adam(
    w: Flat,
    g: Flat,
    m: Flat,
    v: Flat,
    lr: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    decoupled: bool,
    step_size: float,
    denominator: float,
    c1: float,
    c2: float,
) -> None:
    """One Adam or AdamW (`decoupled`) step.

    AdamW: w' = w·(1 - lr·weight_decay); Adam: w' = w, g' = g + weight_decay·w. Then m += c1·(g' - m);
    v = v·beta2 + c2·g'·g'; w = w' + (-step_size·m) / (sqrt(v) / denominator + eps).
    """
    numbers = np.empty(8, np.float32)
    numbers[0] = np.float32(1.0 - lr * weight_decay) if decoupled else np.float32(1)
    numbers[1] = np.float32(0.0) if decoupled else np.float32(weight_decay)
    numbers[2], numbers[3], numbers[4] = beta2, c1, c2
    numbers[5], numbers[6], numbers[7] = step_size, denominator, eps
    parallel_for(_adam_chunk, chunks_of(w.size, CHUNK), (w, g, m, v, numbers))
