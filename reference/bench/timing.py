"""Timing of several calls that do the same work, in turns.

A round measures every side once, as a block: a pause, one call that is not measured, then as many calls as fill a few
milliseconds. The pause is there because both sides leave threads behind that spin for some time after a call
(PyTorch's OpenMP workers, and ours for about a millisecond) and would take the processor from the next side; the first
call wakes a side's own workers and brings its data back into the cache. The order turns round from one round to the
next, so that a drift of the machine does not favour the side that comes first.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reference.bench.registry import Call

FAST: Final = 1e-7  # no call is quicker


@dataclass(frozen=True, slots=True)
class Plan:
    """How often and how long: rounds, seconds in a block at least, seconds of the pause before it."""

    rounds: int
    block: float
    pause: float = 0.025


FULL: Final = Plan(rounds=11, block=0.02)
QUICK: Final = Plan(rounds=5, block=0.004, pause=0.02)
FULL_PROCESS: Final = Plan(rounds=7, block=0.0, pause=0.1)
QUICK_PROCESS: Final = Plan(rounds=2, block=0.0, pause=0.05)


def interleave(calls: Mapping[str, Call], plan: Plan) -> dict[str, list[float]]:
    """The seconds of one call of each side, for every round."""
    repeats = {name: repeats_for(call, plan.block) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(plan.rounds):
        for name in order(list(calls), turn):
            time.sleep(plan.pause)
            times[name].append(_block(calls[name], repeats[name], warm=plan.block > 0))
    return times


def order(names: list[str], turn: int) -> list[str]:
    """The order of one round: forwards, then backwards."""
    return names[::-1] if turn % 2 else names


def repeats_for(call: Call, block: float) -> int:
    """How many calls fill a block. The first call, not counted, compiles and allocates what later ones reuse."""
    call()
    if block <= 0:
        return 1
    started = time.perf_counter()
    call()
    return max(1, int(block / max(time.perf_counter() - started, FAST)))


def _block(call: Call, repeats: int, warm: bool) -> float:
    """The mean seconds of a call in one block. Garbage is collected before it, not in it."""
    gc.collect(0)
    gc.disable()
    try:
        if warm:
            call()
        started = time.perf_counter()
        for _ in range(repeats):
            call()
        return (time.perf_counter() - started) / repeats
    finally:
        gc.enable()
