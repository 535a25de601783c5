"""Products: float64's within the bound of float32, by one grid of tiles whatever the threads."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given

from bendtorch import ops
from bendtorch.errors import ShapeError
from tests.support.arrays import numbers, same_bits
from tests.support.ops import Op, check_ops
from tests.support.references import product
from tests.support.sizes import rows, seeds, widths

OPS: Final = (
    Op("matmul", ops.matmul, "ab", lambda n, c: ((n, c), (c, n + 1)), product, exact=False),
    Op("matmul_nt", ops.matmul_nt, "ab", lambda n, c: ((n, c), (n + 1, c)), lambda a, b: product(a, b.T), exact=False),
    Op("matmul_tn", ops.matmul_tn, "ab", lambda n, c: ((n, c), (n, c + 1)), lambda a, b: product(a.T, b), exact=False),
)
EACH: Final = pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)

test_op = check_ops(OPS)


@given(n=rows, k=widths, m=widths, seed=seeds)
def test_three_ways_to_one_product(n: int, k: int, m: int, seed: int) -> None:
    """A transposed factor is as good as its transpose, to the rounding of the sums."""
    a, b = numbers(seed, n, k), numbers(seed + 1, k, m)
    judge = product(a.astype(np.float64), b.astype(np.float64))
    for result in (ops.matmul(a, b), ops.matmul_nt(a, ops.transpose(b)), ops.matmul_tn(ops.transpose(a), b)):
        assert judge.holds(result)


@pytest.mark.parametrize(
    ("call", "other", "text"),
    [
        (ops.matmul, (5, 6), "b must have 4 rows, as many as a has columns, got Mat[5, 6] (a is Mat[3, 4])"),
        (ops.matmul, (3, 4), "b must have 4 rows, as many as a has columns, got Mat[3, 4] (a is Mat[3, 4])"),
        (ops.matmul_nt, (4, 3), "b must have 4 columns, as many as a has columns, got Mat[4, 3] (a is Mat[3, 4])"),
        (ops.matmul_tn, (4, 3), "b must have 3 rows, as many as a has rows, got Mat[4, 3] (a is Mat[3, 4])"),
    ],
)
def test_inner_sizes_that_differ_are_refused(call: Any, other: tuple[int, int], text: str) -> None:
    with pytest.raises(ShapeError) as refused:
        call(numbers(0, 3, 4), numbers(1, *other))
    assert str(refused.value) == f"{call.__name__}: {text}"


@EACH
@pytest.mark.parametrize(("n", "k", "m"), [(0, 0, 0), (0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 3, 0), (3, 0, 0), (0, 0, 2)])
def test_a_sum_of_no_terms_is_zero(op: Op, n: int, k: int, m: int) -> None:
    left, right = numbers(0, n, k), numbers(1, k, m)
    a = left.T.copy() if op.name == "matmul_tn" else left
    b = right.T.copy() if op.name == "matmul_nt" else right
    assert same_bits(op(a, b), np.zeros((n, m), np.float32))


@EACH
def test_nan_and_infinity_spread(op: Op) -> None:
    a, b = op.make(0, 3, 3)
    a[1, 1] = np.nan
    assert np.isnan(op(a, b)).any(axis=1).sum() == 1
    a[1, 1] = np.inf
    assert not np.isfinite(op(a, b)).all()
