"""What a pass over memory has to compute, as a key: passes with equal keys run the same program, on other arrays.

A key is a flat tuple. Each value of the pass has a number, in the order of the entries that make them:

    FULL                      an array as large as the pass
    REPEATED, small, large    an array of one shape, repeated to another
    operation, numbers        an operation of the values with those numbers

All values of a pass are equally many numbers, whatever their shapes; an array of another size must be there already.
"""

from __future__ import annotations

from typing import Any, Final

from bendtorch.grad.node import Lazy, Shape
from bendtorch.kernels.block_ops import Op

FULL: Final = -1
REPEATED: Final = -2
OFTEN: Final = 2  # a value that was computed so often without being kept is kept the next time

WHOLE: Final = (Op.SUM, Op.DEFERRED)  # operations that are not number by number
COPY: Final = Op.COPY  # looked up once: members of an enumeration take their time


class Trace:
    """A pass: its key so far, and the nodes of its arrays in the order of their entries.

    `missing` are nodes that must be computed first; when there are any, the rest is of no use. `passing` are the nodes
    that are computed without being kept, `kept` those that have been often enough.
    """

    __slots__ = ("count", "full", "kept", "key", "missing", "numbers", "passing", "repeated", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.key: list[Any] = []
        self.count = 0
        self.numbers: dict[Any, int] = {}
        self.full: list[Lazy] = []
        self.repeated: list[Lazy] = []
        self.missing: list[Lazy] = []
        self.passing: list[Lazy] = []
        self.kept: list[Lazy] = []

    def follow(self, roots: list[Lazy]) -> None:
        """Number the roots and all that they are computed from. No recursion: expressions may be deep."""
        numbers = self.numbers
        stack = roots[::-1]
        while stack:
            node = stack[-1]
            if node in numbers:
                stack.pop()
                continue
            if node.value is not None:
                self._enter(node, FULL)
                self.full.append(node)
            elif node.op in WHOLE:
                self._wait_for(node)
            else:
                waiting = [x for x in node.args if self._is_to_follow(x)]
                if waiting:
                    stack += waiting
                    continue
                self._operation(node)
            stack.pop()

    def _is_to_follow(self, x: Lazy) -> bool:
        """Whether an argument must be numbered before its operation is."""
        if x in self.numbers:
            return False
        if x.size != self.size and x.value is None:
            self._wait_for(x)
        return x.size == self.size

    def _wait_for(self, node: Lazy) -> None:
        self.numbers[node] = 0
        self.missing.append(node)

    def _enter(self, name: Any, *entry: Any) -> int:
        number = self.numbers[name] = self.count
        self.count = number + 1
        self.key += entry
        return number

    def _repeated(self, x: Lazy, shape: Shape) -> int:
        """The number of an array of another size, repeated to a shape."""
        small, large = (x.shape, shape) if x.size != 1 else ((), (self.size,))
        found = self.numbers.get((x, large))
        if found is not None:
            return found
        self.repeated.append(x)
        return self._enter((x, large), REPEATED, small, large)

    def _operation(self, node: Lazy) -> None:
        numbers, size = self.numbers, self.size
        if self.missing:
            numbers[node] = 0
            return
        of = [numbers[x] if x.size == size else self._repeated(x, node.shape) for x in node.args]
        if node.op is COPY:
            numbers[node] = of[0]
            return
        self._enter(node, int(node.op), *of)
        (self.passing if node.times < OFTEN else self.kept).append(node)
