"""What a pass over memory has to compute, as a key: passes with equal keys run the same program, on other arrays.

A key is a flat tuple. Each value of the pass has a number, in the order of the entries that make them:

    FULL                      an array as large as the pass
    REPEATED, small, large    an array of one shape, repeated to another
    operation, numbers        an operation of the values with those numbers

All values of a pass are equally many numbers, whatever their shapes; an array of another size must be there already.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from bendtorch.grad.node import COPY, DEFERRED, SUM, Lazy, Shape

FULL: Final = -1
REPEATED: Final = -2
OPEN: Final = -1  # in place of a number: of an operation whose arguments are not numbered yet
OFTEN: Final = 2  # a value that was computed so often without being kept is kept the next time

WHOLE: Final = (SUM, DEFERRED)  # operations that are not number by number


class Trace:
    """A pass: its key so far, and the nodes of its arrays in the order of their entries.

    `missing` are nodes that must be computed first; when there are any, the rest is of no use. `passing` are the nodes
    that are computed without being kept, `kept` those that have been often enough.
    """

    __slots__ = ("fresh", "full", "kept", "key", "missing", "numbers", "passing", "repeated", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.key: list[Any] = []
        self.fresh = itertools.count()
        self.numbers: dict[Any, int] = {}
        self.full: list[Lazy] = []
        self.repeated: list[Lazy] = []
        self.missing: list[Lazy] = []
        self.passing: list[Lazy] = []
        self.kept: list[Lazy] = []

    def follow(self, roots: list[Lazy]) -> None:
        """Number the roots and all that they are computed from.

        No recursion: expressions may be deep. Few calls: this takes half the time of recording.
        """
        numbers, size, fresh = self.numbers, self.size, self.fresh
        stack = roots[::-1]
        while stack:
            node = stack[-1]
            number = numbers.get(node)
            if number is None:
                if node.value is not None:
                    numbers[node] = next(fresh)
                    self.key.append(FULL)
                    self.full.append(node)
                elif node.op in WHOLE:
                    self._wait_for(node)
                else:
                    before = len(stack)
                    for x in node.args:
                        if x not in numbers:
                            if x.size == size:
                                stack.append(x)
                            elif x.value is None:
                                self._wait_for(x)
                    if len(stack) > before:
                        numbers[node] = OPEN
                        continue
                    self._operation(node)
            elif number == OPEN:  # its arguments have been numbered meanwhile
                self._operation(node)
            stack.pop()

    def _operation(self, node: Lazy) -> None:
        numbers, size = self.numbers, self.size
        entry: list[Any] = [node.op]
        for x in node.args:
            entry.append(  # noqa: PERF401  a comprehension is one more call
                numbers[x] if x.size == size else self._repeated(x, node.shape)
            )
        if node.op is COPY:
            numbers[node] = entry[1]
            return
        numbers[node] = next(self.fresh)
        self.key += entry
        (self.passing if node.times < OFTEN else self.kept).append(node)

    def _wait_for(self, node: Lazy) -> None:
        self.numbers[node] = 0
        self.missing.append(node)

    def _repeated(self, x: Lazy, shape: Shape) -> int:
        """The number of an array of another size, repeated to a shape."""
        if x.value is None:
            return 0  # it is missing
        small, large = (x.shape, shape) if x.size != 1 else ((), (self.size,))
        found = self.numbers.get((x, large))
        if found is not None:
            return found
        self.repeated.append(x)
        self.key += (REPEATED, small, large)
        number = self.numbers[x, large] = next(self.fresh)
        return number
