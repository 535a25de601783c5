"""The optimizers' kernels: one pass over weights, gradients and moments; the gradient comes back zeroed.

All run at the speed of memory. What each moves and computes, a number; 4 of the bytes are the gradient's zeros:

    SGD        16 bytes (w, g read and written)        2 FLOPs
    momentum   24 bytes (w, g, m)                      4 FLOPs, 6 looking ahead
    Adam       32 bytes (w, g, m, v)                  14 FLOPs, a square root and two divisions among them
    packed     28 bytes (m in bfloat16), 24 (v too)   14 FLOPs, and some ten operations on integers for each rounding

Decay that is added to the gradient takes two FLOPs more. The order of operations is PyTorch's (`torch.optim`,
single tensor), which multiplies and adds with one rounding (fma); but that a first moment below the normal numbers, of
less than 1.2e-38, counts as none (`_remembered`).

Every kernel takes `chunks`, rows of (low, high, k): the numbers from low to high are stepped with row k of `numbers`.
So one call steps a whole model, with other numbers for some of its parts, and none for its counters.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.bfloat16 import FlatBF16, from_bfloat16, to_bfloat16
from bendtorch.kernels.compile import helper, kernel, uncached_kernel
from bendtorch.kernels.parallel import parallel_for
from bendtorch.kernels.prefetch import write_near
from bendtorch.kernels.vecmath import bits, fma

Chunks: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int64]]

CHUNK: Final = 1 << 14  # numbers a chunk
LARGE: Final = 1 << 19  # numbers of a model that is in main memory, with its gradient and moments
BLOCK: Final = 128  # of its numbers that are brought near at a time
AHEAD: Final = 4096  # bytes before they are stepped: half of it takes 4 % longer
ZERO: Final = np.float32(0)
MAGNITUDE: Final = np.int32(0x7FFFFFFF)
LEAST_NORMAL: Final = np.int32(0x00800000)  # the bits of the least normal number


@helper
def _decayed(added: np.float32, w: np.float32, g: np.float32) -> np.float32:
    """The gradient with the weight's decay added; 0 · w would be NaN for an infinite w."""
    return fma(added, w, g) if added != ZERO else g


@helper
def _sgd(w: Flat, g: Flat, numbers: Flat) -> None:
    lr, added = numbers[0], numbers[1]
    for i in range(w.size):
        w[i] = fma(-lr, _decayed(added, w[i], g[i]), w[i])
        g[i] = ZERO


@helper
def _momentum(w: Flat, g: Flat, m: Flat, numbers: Flat) -> None:
    lr, added, mu, ahead = numbers[0], numbers[1], numbers[2], numbers[3]
    for i in range(w.size):
        gradient = _decayed(added, w[i], g[i])
        mean = _remembered(m[i]) * mu + gradient
        m[i] = mean
        w[i] = fma(-lr, fma(mu, mean, gradient) if ahead != ZERO else mean, w[i])
        g[i] = ZERO


@helper
def _remembered(m: np.float32) -> np.float32:
    """A first moment; none where it is below the normal numbers, with which processors take a hundred times as long.

    It fades to these within 900 steps where no gradient comes any more: for the weights of a unit that is never active,
    and a row of a table whose token does not come again. What such a moment would move a weight by is nothing.
    """
    return m if (bits(m) & MAGNITUDE) >= LEAST_NORMAL else ZERO


@helper
def _mean(m: np.float32, gradient: np.float32, numbers: Flat) -> np.float32:
    kept = _remembered(m)
    return fma(numbers[3], gradient - kept, kept)


@helper
def _square(v: np.float32, gradient: np.float32, numbers: Flat) -> np.float32:
    return fma(numbers[4] * gradient, gradient, v * numbers[2])


@helper
def _moved(w: np.float32, mean: np.float32, square: np.float32, numbers: Flat) -> np.float32:
    root: np.float32 = np.sqrt(square)
    moved: np.float32 = w * numbers[0] + (-numbers[5] * mean) / (root / numbers[6] + numbers[7])
    return moved


@helper
def _adam(w: Flat, g: Flat, m: Flat, v: Flat, numbers: Flat) -> None:
    for i in range(w.size):
        gradient = _decayed(numbers[1], w[i], g[i])
        mean, square = _mean(m[i], gradient, numbers), _square(v[i], gradient, numbers)
        m[i] = mean
        v[i] = square
        w[i] = _moved(w[i], mean, square, numbers)
        g[i] = ZERO


@helper
def _adam_packed_first(w: Flat, g: Flat, m: FlatBF16, v: Flat, numbers: Flat) -> None:
    for i in range(w.size):
        gradient = _decayed(numbers[1], w[i], g[i])
        mean = to_bfloat16(_mean(from_bfloat16(m[i]), gradient, numbers))
        square = _square(v[i], gradient, numbers)
        m[i] = mean
        v[i] = square
        w[i] = _moved(w[i], from_bfloat16(mean), square, numbers)
        g[i] = ZERO


@helper
def _adam_packed(w: Flat, g: Flat, m: FlatBF16, v: FlatBF16, numbers: Flat) -> None:
    for i in range(w.size):
        gradient = _decayed(numbers[1], w[i], g[i])
        mean = to_bfloat16(_mean(from_bfloat16(m[i]), gradient, numbers))
        square = to_bfloat16(_square(from_bfloat16(v[i]), gradient, numbers))
        m[i] = mean
        v[i] = square
        w[i] = _moved(w[i], from_bfloat16(mean), from_bfloat16(square), numbers)
        g[i] = ZERO


@kernel
def _sgd_chunk(chunk: int, w: Flat, g: Flat, chunks: Chunks, numbers: Matrix) -> None:
    low, high, k = chunks[chunk]
    _sgd(w[low:high], g[low:high], numbers[int(k)])


@kernel
def _momentum_chunk(chunk: int, w: Flat, g: Flat, m: Flat, chunks: Chunks, numbers: Matrix) -> None:
    low, high, k = chunks[chunk]
    _momentum(w[low:high], g[low:high], m[low:high], numbers[int(k)])


@helper
def _bring(array: Any, low: int) -> None:
    write_near(array.ctypes.data + array.itemsize * low + AHEAD, array.itemsize * BLOCK)


def _adam_chunks(step: Any) -> Any:
    """What steps a chunk of numbers with two moments, of whichever types.

    Four arrays that are read and written are more than the processor brings near by itself.
    """

    @uncached_kernel
    def chunk(number: int, w: Flat, g: Flat, m: Any, v: Any, chunks: Chunks, numbers: Matrix) -> None:
        first, last, k = chunks[number]
        size = BLOCK if w.size >= LARGE else CHUNK
        for low in range(first, last, size):
            high = min(low + size, last)
            if size == BLOCK:
                _bring(w, low)
                _bring(g, low)
                _bring(m, low)
                _bring(v, low)
            step(w[low:high], g[low:high], m[low:high], v[low:high], numbers[int(k)])

    return chunk


_adam_chunk, _packed_first_chunk, _packed_chunk = map(_adam_chunks, (_adam, _adam_packed_first, _adam_packed))


@kernel
def sgd(w: Flat, g: Flat, chunks: Chunks, numbers: Matrix) -> None:
    """g' = g + decay·w; w += -lr·g'. A row of numbers is (lr, decay)."""
    parallel_for(_sgd_chunk, chunks.shape[0], (w, g, chunks, numbers))


@kernel
def momentum(w: Flat, g: Flat, m: Flat, chunks: Chunks, numbers: Matrix) -> None:
    """g' = g + decay·w; m = m·mu + g'; w += -lr·m, or -lr·(g' + mu·m) looking ahead (Nesterov).

    A row of numbers is (lr, decay, mu, 1 to look ahead or 0).
    """
    parallel_for(_momentum_chunk, chunks.shape[0], (w, g, m, chunks, numbers))


@kernel
def adam(w: Flat, g: Flat, m: Flat, v: Flat, chunks: Chunks, numbers: Matrix) -> None:
    """g' = g + decay·w; m += c1·(g' - m); v = v·beta2 + c2·g'·g'; w = w·kept - step·m / (√v / denominator + eps).

    A row of numbers is (kept, decay, beta2, c1, c2, step, denominator, eps): Adam keeps 1 and decays the gradient,
    AdamW keeps 1 - lr·weight_decay and has a decay of 0.
    """
    parallel_for(_adam_chunk, chunks.shape[0], (w, g, m, v, chunks, numbers))


@kernel
def adam_packed_first(w: Flat, g: Flat, m: FlatBF16, v: Flat, chunks: Chunks, numbers: Matrix) -> None:
    """`adam` with the first moment in bfloat16: computed in float32, rounded, and used as rounded."""
    parallel_for(_packed_first_chunk, chunks.shape[0], (w, g, m, v, chunks, numbers))


@kernel
def adam_packed(w: Flat, g: Flat, m: FlatBF16, v: FlatBF16, chunks: Chunks, numbers: Matrix) -> None:
    """`adam` with both moments in bfloat16."""
    parallel_for(_packed_chunk, chunks.shape[0], (w, g, m, v, chunks, numbers))
