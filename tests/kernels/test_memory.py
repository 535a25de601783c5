"""Large arrays: used again once nobody has them, never while somebody does."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.kernels import memory
from tests.support.sizes import shrunk

EMPTY: Any = memory.empty_mat
SIDE = 512  # 512 × 512 float32 numbers are 1 MiB: the least large array


@pytest.fixture(autouse=True)
def _own_memory() -> Iterator[None]:
    gc.collect()
    memory.release()
    yield
    memory.release()


@given(n=st.integers(0, 600), c=st.integers(1, 600))
def test_shape_type_and_layout(n: int, c: int) -> None:
    array = EMPTY(n, c)
    assert type(array) is np.ndarray
    assert array.shape == (n, c)
    assert array.dtype is np.dtype(np.float32)
    assert array.flags.carray
    array[...] = 1
    assert array.sum(dtype=np.float64) == n * c
    if 4 * n * c >= memory.LARGE:
        assert array.ctypes.data % memory.ALIGN == 0


def test_memory_is_used_again_after_collection() -> None:
    first = EMPTY(SIDE, SIDE)
    place = first.ctypes.data
    assert memory.free_bytes() == 0
    del first
    assert memory.free_bytes() >= 4 * SIDE * SIDE
    second = EMPTY(SIDE, SIDE)
    assert second.ctypes.data == place
    assert memory.free_bytes() == 0


def test_memory_is_not_used_again_while_a_view_lives() -> None:
    views: tuple[Any, ...] = (lambda a: a[3], lambda a: a.T, lambda a: a.reshape(-1)[::2], lambda a: a.view(np.int32))
    for view_of in views:
        array = EMPTY(SIDE, SIDE)
        view = view_of(array)
        del array
        gc.collect()
        other = EMPTY(SIDE, SIDE)
        assert not np.shares_memory(view, other)
        del view, other


def test_memory_of_a_copy_is_its_own() -> None:
    array = EMPTY(SIDE, SIDE)
    array[...] = 5
    copy = array.copy()
    del array
    EMPTY(SIDE, SIDE)[...] = 6
    assert np.all(copy == 5)


@settings(max_examples=20)
@given(data=st.data())
def test_living_arrays_never_share(data: Any) -> None:
    """Allocations and collections in any order; each living array keeps what was written into it."""
    living: list[tuple[int, Any]] = []
    for mark in range(data.draw(st.integers(1, 15))):
        if living and data.draw(st.booleans()):
            living.pop(data.draw(st.integers(0, len(living) - 1)))
        array = EMPTY(SIDE + data.draw(st.integers(0, 3)), SIDE)
        array[...] = mark
        living.append((mark, array))
    assert all(np.all(array == mark) for mark, array in living)


def test_a_part_of_the_loan_gives_nothing_back() -> None:
    array = EMPTY(SIDE, SIDE)
    part = array.base[1:]
    del part
    gc.collect()
    assert memory.free_bytes() == 0
    part = array.base[1:]
    del array
    gc.collect()
    assert memory.free_bytes() == 0
    del part
    gc.collect()
    assert memory.free_bytes() >= 4 * SIDE * SIDE


def test_release_gives_everything_back() -> None:
    del_me = [EMPTY(SIDE, SIDE) for _ in range(3)]
    del del_me
    assert memory.free_bytes() >= 3 * 4 * SIDE * SIDE
    memory.release()
    assert memory.free_bytes() == 0


def test_many_threads() -> None:
    faults: list[str] = []

    def work(mark: int) -> None:
        for round_number in range(shrunk(50, 5)):
            one, two = EMPTY(SIDE, SIDE), EMPTY(SIDE, SIDE)
            one[...] = mark
            two[...] = -mark
            if not (np.all(one == mark) and np.all(two == -mark)):
                faults.append(f"thread {mark}, round {round_number}")

    threads = [threading.Thread(target=work, args=(mark,)) for mark in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert faults == []


def test_the_steady_state_allocates_nothing() -> None:
    """The same pass again and again needs no more blocks than the first time."""
    for _ in range(3):
        held = [EMPTY(SIDE, SIDE), EMPTY(2 * SIDE, SIDE)]
        del held
    once = memory.free_bytes()
    for _ in range(20):
        held = [EMPTY(SIDE, SIDE), EMPTY(2 * SIDE, SIDE)]
        del held
    assert memory.free_bytes() == once


def test_whether_an_array_is_its_callers_alone() -> None:
    array = EMPTY(SIDE, SIDE)
    assert memory.references(array) == memory.ALONE
    kept: Any = [array]
    assert memory.references(array) != memory.ALONE
    kept = array[:1]
    assert memory.references(array) != memory.ALONE
    kept = array.T.view(np.int32)
    assert memory.references(array) != memory.ALONE
    kept = memoryview(array)
    assert memory.references(array) != memory.ALONE
    del kept
    assert memory.references(array) == memory.ALONE
    other: Any = np.asarray(array.base)
    assert memory.references(array) != memory.ALONE
    assert memory.references(other) != memory.ALONE


@pytest.mark.parametrize("other", [EMPTY(2, 2), EMPTY(SIDE, SIDE)[1:], np.ones((SIDE, SIDE), np.float32), (), None])
def test_what_is_no_large_array_of_ours_is_nobodys_alone(other: Any) -> None:
    assert memory.references(other) == (0, 0)
