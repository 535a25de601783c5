"""Arrays that are repeated along some axes of a larger one, read as if they had its shape.

A pattern is a row of a table: the number of its axes, then for each axis, from the last to the first, its size and how
far apart in memory the numbers along it are; 0 along an axis that repeats. Neighbouring axes that can be walked as one
are one, so a row is (size, 1), (rows, 0), a column (size, 0), (rows, 1) and a single number (size, 0).
"""

from __future__ import annotations

from bendtorch.kernels.arrays import Flat, Integers
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.copying import copy, fill
from bendtorch.kernels.panels import floats


def pattern(small: tuple[int, ...], large: tuple[int, ...]) -> list[tuple[int, int]]:
    """The axes, last to first, of an array in C order of shape `small` that is repeated to `large`: at least one."""
    axes: list[tuple[int, int]] = []
    step = 1
    for i in range(1, len(large) + 1):
        size = small[-i] if i <= len(small) else 1
        stride = step if size > 1 else 0
        step *= size
        if large[-i] == 1:
            continue
        if axes and axes[-1][1] * axes[-1][0] == stride:  # goes on where the axis before it ends, or repeats like it
            axes[-1] = (axes[-1][0] * large[-i], axes[-1][1])
        else:
            axes.append((large[-i], stride))
    return axes or [(1, 0)]


@helper
def _repeat(out: Flat, done: int, period: int) -> None:
    """Fill what comes behind the first `done` numbers by what stands `period` before, in ever longer pieces."""
    start = done - period
    while done < out.size:
        length = min(done - start, out.size - done)
        copy(out[start : start + length], out[done : done + length])
        done += length


@kernel
def load_pattern(pattern: Integers, address: int, low: int, out: Flat) -> None:
    """out = the numbers of the pattern at an address, from number `low` on."""
    count, inner, stride = pattern[0], pattern[1], pattern[2]
    done = 0
    while done < out.size:
        within, rest = (low + done) % inner, (low + done) // inner
        first = 0
        for i in range(1, count):
            size, step = pattern[2 * i + 1], pattern[2 * i + 2]
            first += rest % size * step
            rest //= size
        length = min(inner - within, out.size - done)
        if stride == 0:
            fill(out[done : done + length], floats(address + 4 * first, 1)[0])
        else:
            copy(floats(address + 4 * (first + within), length), out[done : done + length])
        done += length
        if stride == 1 and count == 2 and pattern[4] == 0 and length == inner:  # a whole row, which goes on repeating
            _repeat(out, done, inner)
            return
