"""Small kernels of the tests' own. They are compiled in each process: nothing of them is kept on disk."""

from __future__ import annotations

import re
from typing import Any

import numba

from bendtorch.kernels.parallel import parallel_for


def compiled(function: Any) -> Any:
    """The function compiled, or itself with the JIT off."""
    return numba.njit(nogil=True, error_model="numpy")(function)


@compiled
def _count_chunk(chunk: int, counts: Any, weight: int) -> None:
    counts[chunk] += weight


@compiled
def count_chunks(counts: Any, chunks: int, weight: int) -> None:
    """Add `weight` to a chunk's cell each time the chunk is run."""
    parallel_for(_count_chunk, chunks, (counts, weight))


@compiled
def _note_chunk(chunk: int, order: Any, noted: Any) -> None:
    order[noted[0]] = chunk
    noted[0] += 1


@compiled
def note_chunks(order: Any, noted: Any) -> None:
    """Write down the chunks in the order in which one thread runs them: as many as `order` has places."""
    parallel_for(_note_chunk, order.size, (order, noted))


@compiled
def _failing_chunk(chunk: int, counts: Any, bad: int) -> None:
    counts[chunk] += 1
    if chunk == bad:
        raise ValueError("this chunk fails")


@compiled
def fail_in_chunk(counts: Any, bad: int) -> None:
    """Run every chunk of `counts`; chunk `bad` raises."""
    parallel_for(_failing_chunk, counts.size, (counts, bad))


def require_vectors(kernel: Any) -> None:
    """The code computes with vectors of floats, and calls nothing of the C library's."""
    (code,) = kernel.inspect_llvm().values()
    assert re.search(r"= (?:tail )?(?:fmul|fadd|fsub|fcmp|fdiv|select|call)[^=]*<(?:8|4|16) x float>", code)
    called = set(re.findall(r"\bcall [^@\n]*@(\w+)", code))
    assert not called & {"expf", "exp", "logf", "log", "tanhf", "tanh", "erff", "erf", "fmaf", "fma"}
