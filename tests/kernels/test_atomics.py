"""Atomic memory access, against plain Python."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import atomics
from bendtorch.kernels.compile import JIT
from tests.support.kernels import compiled

pytestmark = pytest.mark.skipif(not JIT, reason="machine instructions exist only in compiled code")

ADD, EXCHANGE, LOAD, STORE, PAUSE = (
    atomics.fetch_add,
    atomics.exchange,
    atomics.load,
    atomics.store,
    atomics.pause,
)


@compiled
def play(address: int) -> Any:
    STORE(address, 5)
    one = ADD(address, 3)
    two = EXCHANGE(address, -1)
    PAUSE()
    return one, two, LOAD(address)


@compiled
def count_to(address: int, rounds: int) -> None:
    for _ in range(rounds):
        ADD(address, 1)


def test_each_gives_what_it_says() -> None:
    cell = np.zeros(3, np.int64)
    assert play(cell.ctypes.data + 8) == (5, 8, -1)
    assert cell.tolist() == [0, -1, 0]


def test_additions_of_several_threads_are_all_counted() -> None:
    cell = np.zeros(1, np.int64)
    count_to(cell.ctypes.data, 0)
    threads = [threading.Thread(target=count_to, args=(cell.ctypes.data, 200_000)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert cell[0] == 800_000
