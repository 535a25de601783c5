"""The values of expressions: which passes over memory give them, and in which order.

A pass computes values of one size. What is not number by number stands between passes: a sum, a deferred array, and an
operand that is repeated. A sum is taken at the end of the pass that computes what is summed.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from bendtorch.errors import ShapeError
from bendtorch.grad.arrays import new_array
from bendtorch.grad.node import DEFERRED, SUM, Lazy, Shape, in_order
from bendtorch.grad.plan import plan
from bendtorch.grad.trace import Trace
from bendtorch.kernels.code_addresses import address_of
from bendtorch.kernels.fused import run_program
from bendtorch.kernels.program import Grid


def evaluate(roots: list[Lazy]) -> None:
    """Give every root its value."""
    stack = [roots]
    while stack:
        missing = _advance(stack[-1])
        if missing:
            stack.append(missing)
        else:
            stack.pop()


def _advance(roots: list[Lazy]) -> list[Lazy]:
    """Compute the roots; or give what must be computed first, when something must."""
    sums: dict[Grid, list[Lazy]] = {}
    plain: dict[int, list[Lazy]] = {}
    for root in _with_sums(roots):
        if root.op is DEFERRED:
            missing = [arg for arg in root.args if arg.value is None]
            if missing:
                return missing
            _call(root)
        elif root.op is SUM:
            grid = _summed(root.args[0].shape, root.shape)[0]
            sums.setdefault(grid, []).append(root)
        else:
            plain.setdefault(root.size, []).append(root)
    for grid, group in sums.items():
        missing = _pass(grid, plain.pop(grid.size, []), group)
        if missing:
            return missing
    for size, group in plain.items():
        missing = _pass(Grid(1, 1, size), group, [])
        if missing:
            return missing
    return []


def _with_sums(roots: list[Lazy]) -> dict[Lazy, None]:
    """The roots without a value, once each, and sums of them: who takes one in the same pass reads nothing for it."""
    wanted: dict[Lazy, None] = {}
    for root in roots:
        if root.value is None:
            wanted[root] = None
            total = None if root.summed is None else root.summed()
            if total is not None and total.value is None:
                wanted[total] = None
    return wanted


def _call(node: Lazy) -> None:
    """Compute a deferred array."""
    compute = node.compute
    assert compute is not None
    found = in_order(compute(*[arg.value for arg in node.args]), "deferred")
    if found.shape != node.shape:
        raise ShapeError(f"deferred: expected an array of shape {list(node.shape)}, got {list(found.shape)}")
    node.keep(found)


def _pass(grid: Grid, plain: list[Lazy], sums: list[Lazy]) -> list[Lazy]:
    """Compute values of one size, and sums of such values; or give what must be computed first."""
    size = grid.size
    if size == 0:
        for root in (*plain, *sums):
            root.keep(np.zeros(root.shape, np.float32))
        return []
    trace = Trace(size)
    trace.follow([*plain, *[root.args[0] for root in sums]])
    if trace.missing:
        return trace.missing
    results = list(dict.fromkeys([*plain, *trace.kept])) if trace.kept else plain
    numbers = trace.numbers
    program = plan(
        grid,
        tuple(trace.key),
        tuple([numbers[node] for node in results]),
        tuple([(numbers[root.args[0]], _summed(root.args[0].shape, root.shape)[1]) for root in sums]),
    )
    made = {node: new_array(node.shape) for node in (*results, *sums)}
    nodes = (*trace.full, *results, *trace.repeated, *sums)
    addresses = [address_of(made[node] if node.value is None else node.value, node.size) for node in nodes]
    run_program(program, np.array(addresses, np.int64))
    for node, array in made.items():
        node.keep(array)
    for node in trace.passing:
        node.times += 1
    return []


@functools.lru_cache(4096)
def _summed(shape: Shape, to: Shape) -> tuple[Grid, bool]:
    """How an array is seen whose sums over neighbouring axes are taken, and whether these are its last ones."""
    axes = summed_axes(shape, to)
    before, count, behind = (
        math.prod(part) for part in (shape[: axes[0]], shape[axes[0] : axes[-1] + 1], shape[axes[-1] + 1 :])
    )
    return (Grid(1, before, count), True) if behind == 1 else (Grid(before, count, behind), False)


def summed_axes(shape: Shape, to: Shape) -> list[int]:
    """The axes that a sum to another shape is over, those of size 1 left out."""
    added = len(shape) - len(to)
    return [i for i, size in enumerate(shape) if size != 1 and (i < added or to[i - added] == 1)]
