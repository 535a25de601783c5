"""Limits: which of the two counts, and that they are measured for the present number of threads. No time is judged."""

from __future__ import annotations

import pytest

from bendtorch.kernels.compile import JIT
from bendtorch.profiling.limits import Limits, machine_limits, measure
from tests.support.threads import threads

LIMITS = Limits(threads=2, flops=100e9, read=20e9, triad=25e9)


def test_the_longer_of_the_two_is_the_limit() -> None:
    assert LIMITS.bandwidth == 25e9
    assert LIMITS.least_seconds(50e9, 1e9) == 0.5
    assert LIMITS.least_seconds(1e9, 50e9) == 2.0
    assert LIMITS.least_seconds(0, 0) == 0.0


def test_limits_are_one_line() -> None:
    assert str(LIMITS) == "limits, 2 threads: 100 GFLOP/s of FMA, 20.0 GB/s read, 25.0 GB/s triad"
    assert str(Limits(1, 1e9, 1e9, 1e9)).startswith("limits, 1 thread: ")


@pytest.mark.skipif(not JIT, reason="limits of compiled code")
def test_limits_are_measured_for_the_threads_there_are() -> None:
    for count in (1, 2):
        with threads(count):
            found = measure(numbers=1000, steps=10, repeats=2)
        assert found.threads == count
        assert min(found.flops, found.read, found.triad) > 0


def test_limits_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Limits] = []

    def measured() -> Limits:
        made.append(LIMITS)
        return LIMITS

    monkeypatch.setattr("bendtorch.profiling.limits.JIT", True)
    monkeypatch.setattr("bendtorch.profiling.limits.measure", measured)
    with threads(7):  # a number that nothing else has asked for
        assert machine_limits() is machine_limits()
    assert len(made) == 1


def test_without_compiled_code_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bendtorch.profiling.limits.JIT", False)
    assert machine_limits() is None
