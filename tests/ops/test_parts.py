"""Slices, concatenation and the transpose: the same bits in other places."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Mat, ops
from bendtorch.errors import ShapeError
from bendtorch.shapes.dims import C, N
from tests.support.arrays import numbers, same_bits, special_numbers
from tests.support.ops import Op, alike, check_ops
from tests.support.sizes import rows, seeds, widths


def _last_rows(x: Mat[N, C]) -> Any:
    third, end = len(x) // 3, len(x)
    return ops.rows(x, third, end)


OPS: Final = (
    Op("rows", _last_rows, "x", alike(1), lambda x: x[len(x) // 3 :]),
    Op("columns", lambda x: ops.columns(x, 0, 1), "x", alike(1), lambda x: x[:, :1]),
    Op("concat_rows", ops.concat_rows, "ab", lambda n, c: ((n, c), (2, c)), lambda a, b: np.concatenate([a, b])),
    Op("concat_columns", ops.concat_columns, "ab", lambda n, c: ((n, c), (n, 3)), lambda a, b: np.hstack([a, b])),
    Op("transpose", ops.transpose, "x", alike(1), np.transpose),
)

test_op = check_ops(OPS)


@given(data=st.data(), n=rows, c=widths, seed=seeds)
def test_parts_are_numpys(data: st.DataObject, n: int, c: int, seed: int) -> None:
    x = special_numbers(seed, n, c)
    low, high = sorted((data.draw(st.integers(0, n)), data.draw(st.integers(0, n))))
    assert same_bits(ops.rows(x, low, high), x[low:high].copy())
    left, right = sorted((data.draw(st.integers(0, c)), data.draw(st.integers(0, c))))
    assert same_bits(ops.columns(x, left, right), x[:, left:right].copy())


@given(data=st.data(), n=rows, c=widths, seed=seeds)
def test_cut_and_put_together_again(data: st.DataObject, n: int, c: int, seed: int) -> None:
    x = special_numbers(seed, n, c)
    k, j = data.draw(st.integers(0, n)), data.draw(st.integers(0, c))
    assert same_bits(ops.concat_rows(ops.rows(x, 0, k), ops.rows(x, k, n)), x)
    assert same_bits(ops.concat_columns(ops.columns(x, 0, j), ops.columns(x, j, c)), x)


@given(n=rows, c=widths, seed=seeds)
def test_transposed_twice_is_the_same(n: int, c: int, seed: int) -> None:
    x = special_numbers(seed, n, c)
    assert same_bits(ops.transpose(x), x.T.copy())
    assert same_bits(ops.transpose(ops.transpose(x)), x)


@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (0, 6), (3, 2), (6, 6), (-2, -1), (5, 9)])
def test_bounds_outside_are_refused(axis: str, start: int, stop: int) -> None:
    """Not cut off and not counted from the end, as a slice's are."""
    with pytest.raises(ShapeError) as refused:
        getattr(ops, axis)(numbers(0, 5, 5), start, stop)
    text = f"start and stop must be in order between 0 and 5, the {axis} of x, got {start} and {stop}"
    assert str(refused.value) == f"{axis}: {text}"


@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize("bound", [None, 2.0, True, "1"])
def test_bounds_that_are_no_ints_are_refused(axis: str, bound: Any) -> None:
    call, kind = getattr(ops, axis), type(bound).__name__
    with pytest.raises(ShapeError, match=rf"^{axis}: start must be an int, got {kind} "):
        call(numbers(0, 5, 5), bound, 3)
    with pytest.raises(ShapeError, match=rf"^{axis}: stop must be an int, got {kind} "):
        call(numbers(0, 5, 5), 0, bound)


def test_parts_that_do_not_fit_are_refused() -> None:
    a, b = numbers(0, 3, 4), numbers(1, 2, 5)
    with pytest.raises(ShapeError) as refused:
        ops.concat_rows(a, b)
    wanted = "b must have 4 columns, as many as a has columns, got Mat[2, 5] (a is Mat[3, 4])"
    assert str(refused.value) == f"concat_rows: {wanted}"
    with pytest.raises(ShapeError) as refused:
        ops.concat_columns(a, b)
    assert (
        str(refused.value)
        == "concat_columns: b must have 3 rows, as many as a has rows, got Mat[2, 5] (a is Mat[3, 4])"
    )


def test_nothing_beside_something() -> None:
    x, no_rows, no_columns = numbers(0, 3, 4), numbers(0, 0, 4), numbers(0, 3, 0)
    assert same_bits(ops.concat_rows(no_rows, x), x)
    assert same_bits(ops.concat_rows(x, no_rows), x)
    assert same_bits(ops.concat_columns(no_columns, x), x)
    assert same_bits(ops.concat_columns(x, no_columns), x)
    assert ops.transpose(no_rows).shape == (4, 0)
