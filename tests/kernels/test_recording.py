"""Kernel calls written down and made again, on memory that is shared where lifetimes allow it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.compile import JIT, Kernel
from bendtorch.kernels.elementwise import add
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.products import matmul_nt
from bendtorch.kernels.recording import Call, Recording, recording
from tests.support.arrays import numbers, same_bits

pytestmark = pytest.mark.skipif(not JIT, reason="there are no kernels")

ADD: Any = add
EMPTY: Any = empty_mat
NT: Any = matmul_nt
MANY = 1 << 20


def doubled(x: Any, times: int) -> Any:
    for _ in range(times):
        y = EMPTY(*x.shape)
        ADD(x, x, y)
        x = y
    return x


def test_calls_are_written_down_in_order_and_made_again() -> None:
    x = numbers(0, 5, 3)
    with recording(MANY) as found:
        y = doubled(x, 3)
    assert found.is_whole
    assert [call.kernel for call in found.calls] == [ADD] * 3
    assert [call.result for call in found.calls] == [None] * 3
    assert found.calls[0].arguments[0] is x
    calls = found.planned()
    x *= 4
    for call in calls:
        call.bound()()
    assert same_bits(calls[-1].arguments[-1], 8 * x)
    assert same_bits(y, 2 * x)


def test_nothing_is_written_down_outside() -> None:
    x = numbers(0, 4, 4)
    with recording(MANY) as found:
        pass
    doubled(x, 1)
    assert not found.calls
    assert not found.made
    assert "__call__" not in vars(Kernel)


def test_calls_of_other_threads_pass_by() -> None:
    x, results = numbers(0, 4, 4), []
    thread = threading.Thread(target=lambda: results.append(doubled(x, 4)))
    with recording(MANY) as found:
        thread.start()
        thread.join()
        doubled(x, 1)
    assert len(found.calls) == len(found.made) == 1
    assert same_bits(results[0], 16 * x)


def test_it_ends_with_an_exception() -> None:
    with pytest.raises(KeyError), recording(MANY):
        raise KeyError
    assert "__call__" not in vars(Kernel)


def test_of_too_much_nothing_is_kept() -> None:
    x = numbers(0, 8, 8)
    with recording(3 * x.nbytes) as found:
        doubled(x, 3)
        assert found.is_whole
        assert len(found.made) == 3
        y = doubled(x, 2)
    assert not found.is_whole
    assert not found.calls
    assert not found.made
    assert same_bits(y, 4 * x)


@given(st.data())
def test_an_array_that_is_still_wanted_is_not_written_to(data: st.DataObject) -> None:
    """Calls that read and write arrays at random: each reads what it read before memory was shared."""
    made = [np.empty((1, data.draw(st.integers(1, 5))), np.float32) for _ in range(data.draw(st.integers(1, 8)))]
    written: list[int] = []
    calls = []
    for _ in range(data.draw(st.integers(1, 12))):
        out = data.draw(st.integers(0, len(made) - 1))
        reads = data.draw(st.lists(st.sampled_from(written), max_size=3)) if written else []
        calls.append(Call(None, (made[out], *(made[place] for place in reads)), None))
        written.append(out)
    planned = Recording(0, calls, made).planned()
    assert [[a.shape for a in call.arguments] for call in planned] == [[a.shape for a in c.arguments] for c in calls]
    values: dict[int, int] = {}  # what each array would hold: the number of the call that wrote it
    for number, (call, plan) in enumerate(zip(calls, planned, strict=True)):
        for array, other in zip(call.arguments[1:], plan.arguments[1:], strict=True):
            assert np.all(other == values[id(array)])
        plan.arguments[0].fill(number)
        values[id(call.arguments[0])] = number


def test_memory_is_shared_where_lifetimes_allow_it() -> None:
    x = numbers(0, 16, 16)
    with recording(MANY) as found:
        doubled(x, 6)
    used = {call.arguments[-1].ctypes.data for call in found.planned()}
    assert len(found.made) == 6
    assert len(used) == 2


def test_arrays_of_others_stay_where_they_are() -> None:
    x, w, out = numbers(0, 20, 4), numbers(1, 5, 4), np.empty((20, 5), np.float32)
    with recording(MANY) as found:
        NT(x, w, out)
    (call,) = found.planned()
    assert all(a is b for a, b in zip(call.arguments, (x, w, out), strict=True))
