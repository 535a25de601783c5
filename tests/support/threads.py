"""Running something at several numbers of threads."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final

from bendtorch.kernels import pool

COUNTS: Final = (1, 2, 3, 5)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Let kernels use `count` threads inside the block."""
    before = pool.get_threads()
    pool.set_threads(count)
    try:
        yield
    finally:
        pool.set_threads(before)


def at_every_count(compute: Callable[[], Any]) -> list[Any]:
    """The results of a computation at 1, 2, 3 and 5 threads."""
    results = []
    for count in COUNTS:
        with threads(count):
            results.append(compute())
    return results
