"""A progress bar for training: the loss, examples per second, time left. Silent where nobody watches."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

Report: TypeAlias = Callable[[int, float], None]

INTERVAL: Final = 0.1  # seconds between two updates of the screen


@contextlib.contextmanager
def progress(total: int, show: bool | None = None, unit: str = "examples", units: int = 1) -> Iterator[Report]:
    """A function to report each step to: how many examples it took, and its loss.

    It draws a bar towards `total` examples when `show` is True, or when it is None and the error stream is a terminal.
    The speed is in units, of which each example has so many.
    """
    if show is None:
        show = sys.stderr.isatty()
    if not show:
        yield lambda examples, loss: None
        return
    with _bar(total, unit, units) as report:
        yield report


@contextlib.contextmanager
def _bar(total: int, unit: str, units: int) -> Iterator[Report]:
    """The bar itself. rich is imported only here: it takes longer than a short run's training."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("training"),
        BarColumn(),
        TextColumn("loss {task.fields[loss]}"),
        TextColumn(f"{{task.fields[speed]:,.0f}} {unit}/s"),
        TimeRemainingColumn(),
    )
    # What callbacks print appears above the bar, unless it goes to a file: then it must get there.
    console, redirect = Console(stderr=True), sys.stdout.isatty()
    with Progress(*columns, console=console, refresh_per_second=10, redirect_stdout=redirect) as bars:
        task = bars.add_task("training", total=total, loss="…", speed=0.0)
        started = shown = time.monotonic()
        done = 0

        def report(examples: int, loss: float) -> None:
            nonlocal done, shown
            done += examples
            now = time.monotonic()
            if now - shown >= INTERVAL or done >= total:
                shown = now
                bars.update(task, completed=done, loss=f"{loss:.4f}", speed=done * units / max(now - started, 1e-9))

        yield report
