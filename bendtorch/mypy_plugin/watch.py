"""Rewording mypy's messages as it records them.

mypy has no hook for its own messages. Its `Errors` object keeps a stack of watchers that see every message first; one
at the bottom of that stack may edit the text. Both names are private to mypy: where they are missing, messages stay as
mypy writes them.
"""

from __future__ import annotations

from typing import Any

import mypy.errors
from mypy.errors import ErrorInfo, Errors

from bendtorch.mypy_plugin.messages import reword


class MessageWatch:
    """Rewords messages, and drops those about sizes that the plugin has accepted.

    Where a type stands in an expression (an alias, a base class), mypy complains by itself about a number or a string
    in it, before or after the plugin has read it. `accept` tells which places are in order.
    """

    def __init__(self) -> None:
        self.accepted: dict[str, set[tuple[int, int]]] = {}

    def install(self, errors: Errors) -> None:
        """Put the watcher at the bottom of the stack, unless it is there."""
        try:
            watchers: list[Any] = errors._watchers
            if not any(watcher._filter == self.on_message for watcher in watchers):
                watchers.insert(0, mypy.errors.ErrorWatcher(errors, filter_errors=self.on_message))
        except (AttributeError, TypeError):
            return

    def on_message(self, file: str, info: ErrorInfo) -> bool:
        """Called by mypy for each message; True drops it."""
        try:
            if self._is_accepted(file, info):
                return True
            info.message = reword(info.message)
        except Exception as fault:  # mypy would end with an internal error
            info.message += f" (bendtorch plugin: could not reword this message: {fault!r}; please report it)"
        return False

    def forget(self, file: str) -> None:
        """Drop what is known of a file that is analysed anew."""
        self.accepted.pop(file, None)

    def accept(self, errors: Errors, line: int, column: int) -> None:
        """A size at this place is in order: drop what mypy has said or will say about it."""
        self.accepted.setdefault(errors.file, set()).add((line, column))
        recorded = errors.error_info_map.get(errors.file)
        if recorded:
            recorded[:] = [info for info in recorded if not self._is_accepted(errors.file, info)]
            if not recorded:
                del errors.error_info_map[errors.file]

    def _is_accepted(self, file: str, info: ErrorInfo) -> bool:
        return info.message.startswith("Invalid type") and (info.line, info.column) in self.accepted.get(file, ())
