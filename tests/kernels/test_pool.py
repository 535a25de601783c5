"""The pool: how many threads, and where the number comes from."""

from __future__ import annotations

import itertools
import os
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.kernels import pool
from bendtorch.kernels.compile import JIT
from tests.support.kernels import count_chunks, note_chunks
from tests.support.threads import COUNTS, threads


def test_the_number_of_threads_is_what_was_set() -> None:
    for count in COUNTS:
        with threads(count):
            assert pool.get_threads() == (count if JIT and pool.POSIX else 1)


@pytest.mark.parametrize("count", [0, -1, pool.MOST_THREADS + 1])
def test_a_number_of_threads_that_cannot_be_is_refused(count: int) -> None:
    before = pool.get_threads()
    with pytest.raises(ConfigError, match=f"^set_threads: from 1 to 256 threads can be used, got {count}$"):
        pool.set_threads(count)
    assert pool.get_threads() == before


def test_fewer_threads_use_the_same_workers_again() -> None:
    with threads(3):
        alive = threading.active_count()
        pool.set_threads(1)
        pool.set_threads(3)
        assert threading.active_count() == alive
    assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("bendtorch-"))


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        ("3", None, 3),
        (" 2 ", "7", 2),
        ("", "5", 5),
        (None, "4,2", 4),
        (None, "none", None),
        (None, "0", None),
        (None, "²", None),
        (None, "9" * 5000, None),
        ("", "", None),
        (None, None, None),
    ],
)
def test_where_the_number_comes_from(
    monkeypatch: pytest.MonkeyPatch, own: str | None, other: str | None, expected: int | None
) -> None:
    for name, value in (("BENDTORCH_NUM_THREADS", own), ("OMP_NUM_THREADS", other)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert pool.wanted_threads() == (expected or available)


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "²", "9" * 5000])
def test_a_number_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("BENDTORCH_NUM_THREADS", text)
    with pytest.raises(ConfigError, match="BENDTORCH_NUM_THREADS must be a number of at least 1, got"):
        pool.wanted_threads()


@given(counts=st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_the_number_may_change_between_jobs(counts: list[int]) -> None:
    total: Any = np.zeros(9, np.int64)
    before = pool.get_threads()
    for count in counts:
        pool.set_threads(count)
        count_chunks(total, 9, 1)
    pool.set_threads(before)
    assert total.tolist() == [len(counts)] * 9


@pytest.mark.skipif(not JIT, reason="chunks in Python run in their order")
@pytest.mark.parametrize("chunks", [3, 8, 100])
def test_every_other_job_begins_with_what_the_last_ended_with(chunks: int) -> None:
    orders = np.full((4, chunks), -1, np.int64)
    with threads(1):
        for order in orders:
            note_chunks(order, np.zeros(1, np.int64))
    assert sorted(orders[0]) == list(range(chunks))
    assert all(np.array_equal(later, earlier[::-1]) for earlier, later in itertools.pairwise(orders))


@pytest.mark.skipif(not JIT, reason="chunks in Python run in their order")
def test_a_job_with_a_chunk_for_each_thread_is_no_turn() -> None:
    orders = np.full((2, 8), -1, np.int64)
    with threads(1):
        for order in orders:
            note_chunks(order, np.zeros(1, np.int64))
            note_chunks(np.zeros(2, np.int64), np.zeros(1, np.int64))
    assert np.array_equal(orders[1], orders[0][::-1])


def test_starting_twice_changes_nothing() -> None:
    with threads(2):
        pool.start()
        before = threading.active_count(), pool.get_threads()
        pool.start()
        assert (threading.active_count(), pool.get_threads()) == before
