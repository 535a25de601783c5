"""`parallel_for` runs every chunk once, whoever runs it."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types
from numba.extending import intrinsic

from bendtorch.kernels.compile import JIT
from bendtorch.kernels.parallel import chunk_bounds, chunks_of, parallel_for
from tests.support.kernels import compiled, count_chunks, fail_in_chunk
from tests.support.sizes import shrunk
from tests.support.threads import COUNTS, threads

CHUNKS_OF: Any = chunks_of
BOUNDS: Any = chunk_bounds


@given(size=st.integers(0, 2**40), chunk=st.integers(1, 2**40))
def test_chunks_cover_the_size(size: int, chunk: int) -> None:
    count = CHUNKS_OF(size, chunk)
    assert count * chunk >= size
    assert (count - 1) * chunk < size or (count == 0 and size == 0)


@given(size=st.integers(0, 200), chunk=st.integers(1, 20))
def test_bounds_of_chunks_are_one_after_another(size: int, chunk: int) -> None:
    bounds = [BOUNDS(number, chunk, size) for number in range(CHUNKS_OF(size, chunk))]
    assert [i for low, high in bounds for i in range(low, high)] == list(range(size))


@pytest.mark.parametrize("count", COUNTS)
def test_every_chunk_runs_once(count: int) -> None:
    with threads(count):
        for chunks in (0, 1, 2, 3, 7, 64, shrunk(4001, 401)):
            counts = np.zeros(chunks + 1, np.int64)
            count_chunks(counts, chunks, 3)
            assert counts.tolist() == [3] * chunks + [0]


def test_many_jobs_one_after_another() -> None:
    with threads(3):
        counts = np.zeros(5, np.int64)
        for _ in range(shrunk(2000, 20)):
            count_chunks(counts, 5, 1)
        assert counts.tolist() == [shrunk(2000, 20)] * 5


def test_python_threads_at_once() -> None:
    """A caller that finds the pool busy runs its own chunks."""
    rounds, callers = shrunk(300, 5), 4
    results = [np.zeros(16, np.int64) for _ in range(callers)]

    def call(place: int) -> None:
        for _ in range(rounds):
            count_chunks(results[place], 16, place + 1)

    count_chunks(np.zeros(1, np.int64), 1, 1)  # compiled before the threads meet
    with threads(2):
        workers = [threading.Thread(target=call, args=(place,)) for place in range(callers)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
    assert [result.tolist() for result in results] == [[rounds * (place + 1)] * 16 for place in range(callers)]


class Nest(NamedTuple):
    """Arguments of a chunk that are arrays in tuples."""

    number: int
    table: Any
    inner: tuple[Any, int]


@intrinsic
def _owns(typing: Any, array: Any) -> Any:
    """Whether an array holds a reference to its memory."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        meminfo = context.make_array(signature.args[0])(context, builder, args[0]).meminfo
        return builder.icmp_unsigned("!=", meminfo, meminfo.type(None))

    return types.boolean(array), generate


@compiled
def _look(chunk: int, nest: Any, cells: Any) -> None:
    rows, weight = nest.inner
    cells[chunk] = nest.number + weight * rows[chunk, 1] + nest.table[chunk]
    if _owns(nest.table) or _owns(rows) or _owns(cells):
        cells[chunk] = -1


@compiled
def look(nest: Any, cells: Any) -> None:
    """Each cell from arrays in tuples; -1 where a chunk has an array that counts references."""
    parallel_for(_look, cells.size, (nest, cells))


@pytest.mark.skipif(not JIT, reason="with the JIT off, arrays are numpy's")
def test_arrays_are_lent_to_chunks() -> None:
    cells = np.zeros(5, np.int64)
    look(Nest(1, np.arange(5), (np.arange(10).reshape(5, 2), 100)), cells)
    assert cells.tolist() == [1 + 100 * (2 * i + 1) + i for i in range(5)]


@pytest.mark.parametrize("count", COUNTS)
def test_a_chunk_that_fails_is_an_error_of_the_job_and_the_pool_goes_on(count: int) -> None:
    with threads(count):
        for bad in (0, 3, 6):
            counts = np.zeros(7, np.int64)
            with pytest.raises(MemoryError if JIT else ValueError, match="fail"):
                fail_in_chunk(counts, bad)
            assert counts[bad] == 1
            counts = np.zeros(7, np.int64)
            fail_in_chunk(counts, -1)
            assert counts.tolist() == [1] * 7
