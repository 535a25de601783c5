"""How much of the machine other processes take while a row is measured.

A parallel call on both processors waits for its slower half, so a single busy neighbour can make it many times slower,
PyTorch's (whose threads wait for each other by spinning) more than ours. Such lines are not a comparison. This module
says which they are: from Linux's account of the processors' busy time, less what this process and its children used.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

STATISTICS: Final = Path("/proc/stat")
IDLE: Final = (3, 4)  # the places of idle and of waiting for a disk
DISTURBED: Final = 0.05  # of all processors
GUEST: Final = 8  # from here on the times are part of others


@dataclass(frozen=True, slots=True)
class Moment:
    """Seconds: of the clock, of all processors busy since the start of the machine, of ours used by this process."""

    clock: float
    busy: float
    own: float


def now(statistics: Path = STATISTICS) -> Moment | None:
    """The present moment; None on a system that does not say."""
    if not statistics.exists():
        return None
    ticks = [int(field) for field in statistics.read_text().split("\n", 1)[0].split()[1 : GUEST + 1]]
    busy = sum(ticks) - sum(ticks[place] for place in IDLE)
    return Moment(time.perf_counter(), busy / os.sysconf("SC_CLK_TCK"), sum(os.times()[:4]))


def others(before: Moment | None, after: Moment | None, processors: int) -> float | None:
    """The share of all processors' time that other processes took between two moments."""
    if before is None or after is None or after.clock <= before.clock:
        return None
    foreign = (after.busy - before.busy) - (after.own - before.own)
    return min(1.0, max(0.0, foreign / ((after.clock - before.clock) * processors)))


def disturbed(share: float | None) -> bool:
    """Whether other processes had so much that a measurement says little."""
    return share is not None and share >= DISTURBED


def quietest(work: Callable[[], T], patience: int) -> tuple[T, float | None]:
    """What `work` gives, and the others' share meanwhile.

    While that share is too large the work is done again, at most `patience` times; the least disturbed one counts.
    """
    found: list[tuple[float, T]] = []
    while len(found) <= patience:
        before = now()
        result = work()
        share = others(before, now(), os.cpu_count() or 1)
        if not disturbed(share):
            return result, share
        found.append((share or 0.0, result))
    share, result = min(found, key=lambda attempt: attempt[0])
    return result, share
