"""The kernel calls that Python code makes, written down while it runs, and the memory that they need.

    with recording(most_bytes=1 << 20) as found:
        layer.fwd(p, x)
    for call in found.planned():
        call.bound()()     # the same work once more

Calls that kernels make of each other are not among them. With the JIT off there are no kernels, and no calls.
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from bendtorch.kernels.compile import Kernel
from bendtorch.kernels.memory import watching

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

_one_at_a_time: Final = threading.Lock()


class Call(NamedTuple):
    """A kernel, what it was called with, and what it gave."""

    kernel: Any
    arguments: tuple[Any, ...]
    result: Any

    def bound(self) -> partial[Any]:
        """The call with its arguments: of the code that was compiled for their types, which need not be found again.

        It takes other arguments of the same types in their places.
        """
        types = tuple(map(self.kernel.typeof_pyval, self.arguments))
        compiled = self.kernel.overloads.get(types)
        return partial(self.kernel if compiled is None else compiled.entry_point, *self.arguments)


@dataclass
class Recording:
    """The calls in order, and the arrays that were made for them (`empty_mat`).

    `is_whole` says that all were written down: of arrays of more than `most_bytes` together none are kept, nor calls.
    """

    most_bytes: int
    calls: list[Call] = field(default_factory=list)
    made: list[Array] = field(default_factory=list)
    is_whole: bool = True

    def note_call(self, call: Call) -> None:
        """Write a call down."""
        if self.is_whole:
            self.calls.append(call)

    def note_array(self, array: Array) -> None:
        """Write an array down that was made."""
        if self.is_whole:
            self.made.append(array)
            self.most_bytes -= array.nbytes
        if self.most_bytes < 0:
            self.is_whole = False
            self.calls.clear()
            self.made.clear()

    def planned(self) -> list[Call]:
        """The same calls, with the arrays that were made for them in as little memory as they need.

        From the calls that use an array it is known how long its numbers are wanted; then its memory is another's. So
        what is written next is still in the cache.
        """
        made = {id(array): array.shape for array in self.made}
        used = [{id(value) for value in call.arguments} & made.keys() for call in self.calls]
        last = {name: place for place, names in enumerate(used) for name in names}
        arrays: dict[int, Array] = {}
        blocks, planned = _Blocks(), []
        for place, (call, names) in enumerate(zip(self.calls, used, strict=True)):
            for name in sorted(names - arrays.keys()):
                arrays[name] = blocks.take(made[name])
            arguments = tuple(arrays.get(id(value), value) for value in call.arguments)
            planned.append(call._replace(arguments=arguments))
            for name in sorted(names):
                if last[name] == place:
                    blocks.give_back(arrays[name])
        return planned


class _Blocks:
    """Memory for arrays that are not all wanted at the same time."""

    def __init__(self) -> None:
        self.free: list[Array] = []

    def take(self, shape: tuple[int, ...]) -> Array:
        """An array whose memory no other has now: of what was given back last, if it fits and is not much too large."""
        count = math.prod(shape)
        fitting = (place for place in reversed(range(len(self.free))) if count <= self.free[place].size <= 2 * count)
        place = next(fitting, None)
        block = np.empty(count, np.float32) if place is None else self.free.pop(place)
        return block[:count].reshape(shape)

    def give_back(self, array: Array) -> None:
        """Its numbers are not wanted any more."""
        block = array
        while isinstance(block.base, np.ndarray):
            block = block.base
        self.free.append(block)


@contextlib.contextmanager
def recording(most_bytes: int) -> Iterator[Recording]:
    """What this thread calls and makes meanwhile. Calls of other threads pass by."""
    found = Recording(most_bytes)
    thread, run = threading.get_ident(), Kernel.__call__

    def noted(kernel: Any, *arguments: Any) -> Any:
        result = run(kernel, *arguments)
        if threading.get_ident() == thread:
            found.note_call(Call(kernel, arguments, result))
        return result

    with _one_at_a_time, watching(found.note_array):
        Kernel.__call__ = noted  # type: ignore[method-assign,assignment]
        try:
            yield found
        finally:
            del Kernel.__call__  # the inherited one costs no call of Python
