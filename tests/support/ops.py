"""`check_ops`: the checks that every operation of `bendtorch.ops` passes, one line for each operation.

    OPS = (Op("add", ops.add, "ab", alike(2), np.add), ...)
    test_op = check_ops(OPS)

An `Op` makes its matrices of drawn sizes; each check calls it with them, and judges it by float64 or by what every
operation keeps. A new check here is a check of every operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings

from bendtorch.errors import DtypeError, ShapeError
from tests.support.arrays import LAYOUTS, WRONG_TYPES, numbers, same_bits, same_numbers, snapshot, special_numbers
from tests.support.references import Bounded
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import at_every_count

Matrices = tuple[Any, ...]


@dataclass(frozen=True)
class Op:
    """An operation: its name, the names of its matrices, how they are made of sizes, and the operation in float64.

    `exact`: the result is the float64 one rounded once, also of NaN and infinities; otherwise `reference` gives a
    `Bounded`. Operations that are told sizes or bounds come as lambdas that take the matrices alone.
    """

    name: str
    call: Callable[..., Any]
    arguments: Sequence[str]
    sizes: Callable[[int, int], tuple[tuple[int, int], ...]]
    reference: Callable[..., Any]
    exact: bool = True

    def make(self, seed: int, n: int, c: int, fill: Callable[..., Any] = numbers) -> Matrices:
        """Matrices for a call."""
        return tuple(fill(seed + place, *shape) for place, shape in enumerate(self.sizes(n, c)))

    def __call__(self, *matrices: Any) -> Any:
        """The operation; with the JIT off its arithmetic is numpy's, which warns of an overflow."""
        with np.errstate(all="ignore"):
            return self.call(*matrices)

    def judge(self, matrices: Matrices) -> None:
        """Compare a call with float64."""
        actual = self(*matrices)
        with np.errstate(all="ignore"):
            wanted = self.reference(*(m.astype(np.float64) for m in matrices))
            if isinstance(wanted, Bounded):
                assert actual.dtype == np.float32
                assert wanted.holds(actual)
            else:
                assert same_numbers(actual, wanted.astype(np.float32))


def alike(count: int) -> Callable[[int, int], tuple[tuple[int, int], ...]]:
    """Several n × c."""
    return lambda n, c: ((n, c),) * count


def _check_values(op: Op) -> None:
    @given(n=rows, c=widths, seed=seeds)
    def check(n: int, c: int, seed: int) -> None:
        op.judge(op.make(seed, n, c))
        if op.exact:
            op.judge(op.make(seed, n, c, special_numbers))

    check()


def _check_purity(op: Op) -> None:
    @given(n=rows, c=widths, seed=seeds)
    def check(n: int, c: int, seed: int) -> None:
        matrices = op.make(seed, n, c)
        kept = snapshot(matrices)
        result = op(*matrices)
        assert all(map(same_bits, matrices, kept))
        assert type(result) is np.ndarray
        assert result.flags.carray
        assert not any(np.shares_memory(result, m) for m in matrices)
        assert same_bits(op(*matrices), result)

    check()


def _check_layouts(op: Op) -> None:
    @settings(max_examples=10)
    @given(n=rows, c=widths, seed=seeds)
    def check(n: int, c: int, seed: int) -> None:
        matrices = op.make(seed, n, c)
        wanted = op(*matrices)
        for lay_out in LAYOUTS.values():
            assert same_bits(op(*map(lay_out, matrices)), wanted)

    check()


def _check_types(op: Op) -> None:
    matrices = op.make(0, 3, 4)
    for place, argument in enumerate(op.arguments):
        for dtype in WRONG_TYPES:
            wrong = [m.astype(dtype) if k == place else m for k, m in enumerate(matrices)]
            with pytest.raises(DtypeError, match=f"^{op.name}: {argument} must be float32"):
                op(*wrong)
        with pytest.raises(DtypeError, match=rf"^{op.name}: {argument} must be a float32 numpy array.*, got list$"):
            op(*[m.tolist() if k == place else m for k, m in enumerate(matrices)])


def _check_axes(op: Op) -> None:
    """A vector, or a stack of matrices, is no matrix."""
    matrices = op.make(0, 3, 4)
    for place, argument in enumerate(op.arguments):
        for other in (matrices[place][0], matrices[place][None]):
            text = rf"^{op.name}: {argument} must be .*got an array of shape {re.escape(str(list(other.shape)))}"
            with pytest.raises(ShapeError, match=text):
                op(*[other if k == place else m for k, m in enumerate(matrices)])


def _check_threads(op: Op) -> None:
    matrices = op.make(0, shrunk(401, 9), shrunk(270, 7))
    results = at_every_count(lambda: op(*matrices))
    assert all(same_bits(results[0], result) for result in results)
    op.judge(matrices)


CHECKS: Final[dict[str, Callable[[Op], None]]] = {
    "values": _check_values,
    "purity": _check_purity,
    "layouts": _check_layouts,
    "types": _check_types,
    "axes": _check_axes,
    "threads": _check_threads,
}


def check_ops(ops: Sequence[Op]) -> Callable[..., None]:
    """A test: every check of every operation."""

    @pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
    @pytest.mark.parametrize("op", ops, ids=lambda op: op.name)
    def test(op: Op, check: Callable[[Op], None]) -> None:
        check(op)

    return test
