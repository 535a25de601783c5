"""Rewording mypy's messages as it records them.

mypy has no hook for its own messages. Its `Errors` object keeps a stack of watchers that see every message first; one
at the bottom of that stack may edit the text. Both names are private to mypy: where they are missing, messages stay as
mypy writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mypy.errors
from mypy.errors import ErrorInfo, Errors

from bendtorch.mypy_plugin.defaults import Defaults
from bendtorch.mypy_plugin.messages import is_about_a_type, is_consequence, is_detail, reword
from bendtorch.mypy_plugin.vocabulary import BEND_CHAIN, BEND_SHAPE

Said = tuple[int, str]
"""The line and the text of an error."""


class MessageWatch:
    """Rewords messages, and drops those about sizes that the plugin has accepted or mistakes that it has explained.

    Where a type stands in an expression (an alias, a base class), mypy complains by itself about a number or a string
    in it, before or after the plugin has read it. `accept` tells which places are in order.
    """

    def __init__(self, defaults: Defaults) -> None:
        self.defaults = defaults
        self.accepted: dict[str, set[tuple[int, int]]] = {}
        self.errors: Errors | None = None
        self.explained: tuple[str, int] | None = None
        self.parameters: dict[str, Sequence[str | None]] = {}
        self.parameters_of = ""
        self.with_layers: set[str] = set()
        self.merges: dict[tuple[str, int, str], tuple[Said, str]] = {}
        self.moved: tuple[tuple[str, int, int], ErrorInfo] | None = None

    def install(self, errors: Errors) -> None:
        """Put the watcher at the bottom of the stack, unless it is there."""
        self.errors = errors
        try:
            watchers: list[Any] = errors._watchers
            if not any(watcher._filter == self.on_message for watcher in watchers):
                watchers.insert(0, mypy.errors.ErrorWatcher(errors, filter_errors=self.on_message))
        except (AttributeError, TypeError):
            return

    def on_message(self, file: str, info: ErrorInfo) -> bool:
        """Called by mypy for each message; True drops it."""
        try:
            return self._on_message(file, info)
        except Exception as fault:  # mypy would end with an internal error
            info.message += f" (bendtorch plugin: could not reword this message: {fault!r}; please report it)"
            return False

    def _on_message(self, file: str, info: ErrorInfo) -> bool:
        place = (file, info.line)
        if self.defaults.fits(file, info.line, info.column, info.message):
            return True
        if self._is_accepted(file, info) or (place == self.explained and is_consequence(info.message)):
            return True
        parameters = self.parameters if file == self.parameters_of else {}
        reworded = reword(info.message, parameters, has_layers=file in self.with_layers)
        if reworded is None:
            return True
        if reworded.startswith("Seq: ") or info.code is BEND_SHAPE:
            self.explained = place
            self._withdraw(file, lambda earlier: earlier.line == info.line and is_detail(earlier.message))
        info.message = reworded
        if info.code is BEND_CHAIN and self.moved is not None and (file, info.line, info.column) == self.moved[0]:
            _move(info, self.moved[1])
        elif info.code is BEND_SHAPE:
            self.moved = None
            self._merge(file, info)
        return False

    def remember_parameters(self, file: str, callee: str, names: Sequence[str | None]) -> None:
        """mypy tells the number of an argument that does not fit; keep the names, of the file at hand only."""
        if file != self.parameters_of:
            self.parameters_of, self.parameters = file, {}
        self.parameters[callee] = names

    def remember_layers(self, file: str) -> None:
        """Layers are made in a file."""
        self.with_layers.add(file)

    def forget(self, file: str) -> None:
        """Drop what is known of a file that is analysed anew."""
        self.accepted.pop(file, None)
        self.with_layers.discard(file)

    def accept(self, errors: Errors, line: int, column: int) -> None:
        """A size at this place is in order: drop what mypy has said or will say about it."""
        self.accepted.setdefault(errors.file, set()).add((line, column))
        self._withdraw(errors.file, lambda earlier: self._is_accepted(errors.file, earlier))

    def merge(self, file: str, first: Said, second: Said, both: str) -> None:
        """Where two errors of the plugin's own are recorded, one is to stand in the place of the first."""
        self.merges[file, *second] = first, both

    def _merge(self, file: str, info: ErrorInfo) -> None:
        """Do so, when the second is recorded and the first has been; what mypy only tries records nothing."""
        (line, message), both = self.merges.get((file, info.line, info.message), ((0, ""), ""))
        recorded: list[ErrorInfo] = getattr(self.errors, "error_info_map", {}).get(file, [])
        first = next((earlier for earlier in recorded if (earlier.line, earlier.message) == (line, message)), None)
        if first is not None:
            place = first.line, first.column
            self._withdraw(file, lambda e: e is first or (e.code is BEND_CHAIN and (e.line, e.column) == place))
            self.moved = (file, info.line, info.column), first
            info.message = both
            _move(info, first)

    def _withdraw(self, file: str, is_void: Callable[[ErrorInfo], bool]) -> None:
        """Take back what has been recorded already."""
        recorded: dict[str, list[ErrorInfo]] = getattr(self.errors, "error_info_map", {})
        if recorded.get(file):
            recorded[file][:] = [info for info in recorded[file] if not is_void(info)]
            if not recorded[file]:
                del recorded[file]

    def _is_accepted(self, file: str, info: ErrorInfo) -> bool:
        return is_about_a_type(info.message) and (info.line, info.column) in self.accepted.get(file, ())


def _move(info: ErrorInfo, to: ErrorInfo) -> None:
    """Give a message the place of another."""
    info.line, info.column, info.end_line, info.end_column = to.line, to.column, to.end_line, to.end_column
    info.origin_span = to.origin_span
