"""Ctrl-C in a training run: the step at hand is finished first, so what is saved is the state between two steps."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Interrupt:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.pressed = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Remember the first; the second comes through at once."""
        if self.pressed:
            signal.default_int_handler(number, frame)
        self.pressed = True


@contextlib.contextmanager
def deferred() -> Iterator[Interrupt]:
    """Ctrl-C inside is remembered, not raised, unless it comes twice.

    Only where Ctrl-C would raise `KeyboardInterrupt`: in the main thread, with Python's own handler. A handler of
    somebody else stays.
    """
    interrupt = Interrupt()
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield interrupt
        return
    signal.signal(signal.SIGINT, interrupt.handle)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
