"""Arithmetic number by number: every result is the float64 one, rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import ops
from bendtorch.errors import DtypeError, ShapeError
from tests.support.arrays import LAYOUTS, numbers, same_bits, same_numbers, special_numbers
from tests.support.ops import Op, alike, check_ops
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import at_every_count

SIGNS: Final = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
HALF: Final = 0.5
THIRD: Final = np.float64(np.float32(1 / 3))

OPS: Final = (
    *(Op(name, getattr(ops, name), "ab", alike(2), sign) for name, sign in SIGNS.items()),
    *(
        Op(f"{name}_row", getattr(ops, f"{name}_row"), ("x", "row"), lambda n, c: ((n, c), (1, c)), sign)
        for name, sign in SIGNS.items()
    ),
    *(
        Op(f"{name}_column", getattr(ops, f"{name}_column"), ("x", "column"), lambda n, c: ((n, c), (n, 1)), sign)
        for name, sign in SIGNS.items()
    ),
    Op("maximum", ops.maximum, "ab", alike(2), lambda a, b: np.where((a >= b) | np.isnan(a), a, b)),
    Op("minimum", ops.minimum, "ab", alike(2), lambda a, b: np.where((a <= b) | np.isnan(a), a, b)),
    Op("scale", lambda x: ops.scale(x, 1 / 3), "x", alike(1), lambda x: x * THIRD),
    Op("shift", lambda x: ops.shift(x, 1 / 3), "x", alike(1), lambda x: x + THIRD),
    Op("negate", ops.negate, "x", alike(1), np.negative),
    Op("square", ops.square, "x", alike(1), np.square),
    Op("sqrt", ops.sqrt, "x", alike(1), np.sqrt),
)
PAIRS: Final = [op for op in OPS if op.arguments == "ab"]
BROADCASTS: Final = [op for op in OPS if len(op.arguments) == 2 and op.arguments != "ab"]
WITH_NUMBER: Final[dict[str, Callable[..., Any]]] = {"scale": ops.scale, "shift": ops.shift}

test_op = check_ops(OPS)


@pytest.mark.parametrize("op", PAIRS, ids=lambda op: op.name)
@pytest.mark.parametrize("shape", [(2, 4), (3, 3), (4, 3), (1, 4), (3, 1), (1, 1), (12, 1), (0, 4)])
def test_other_shapes_are_refused(op: Op, shape: tuple[int, int]) -> None:
    """Nothing is broadcast."""
    text = rf"^{op.name}: b must be Mat\[3, 4\], got an array of shape \[{shape[0]}, {shape[1]}\]$"
    with pytest.raises(ShapeError, match=text):
        op(numbers(0, 3, 4), numbers(1, *shape))


@pytest.mark.parametrize("op", BROADCASTS, ids=lambda op: op.name)
@pytest.mark.parametrize("shape", [(3, 4), (4, 1), (1, 3), (1, 1), (0, 4), (1, 0)])
def test_what_is_no_row_or_column_of_it_is_refused(op: Op, shape: tuple[int, int]) -> None:
    argument = op.arguments[1]
    wanted = r"\[1, 4\]" if argument == "row" else r"\[3, 1\]"
    text = rf"^{op.name}: {argument} must be Mat{wanted}, got an array of shape \[{shape[0]}, {shape[1]}\]$"
    with pytest.raises(ShapeError, match=text):
        op(numbers(0, 3, 4), numbers(1, *shape))


@pytest.mark.parametrize("op", [op for op in OPS if len(op.sizes(1, 1)) == 2], ids=lambda op: op.name)
def test_every_pair_of_edge_values(op: Op) -> None:
    values = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1e-45, -1e-45, 1e-38, 3e38, -3e38, 1, -1], np.float32)
    a, b = (np.ascontiguousarray(m, np.float32) for m in np.meshgrid(values, values))
    if op.arguments[1] == "row":
        b = values[None].copy()
    elif op.arguments[1] == "column":
        b = values[:, None].copy()
    op.judge((a, b))


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_no_columns(op: Op) -> None:
    for n in (0, 3):
        assert op(*op.make(0, n, 0)).shape == (n, 0)


@pytest.mark.parametrize("op", BROADCASTS, ids=lambda op: op.name)
@pytest.mark.parametrize(("n", "c"), [(1, 70_001), (3, 40_000), (2, 32_768), (40_000, 3), (70_001, 1)])
def test_rows_longer_and_shorter_than_a_chunk(op: Op, n: int, c: int) -> None:
    matrices = op.make(0, shrunk(n, n % 7 + 1), shrunk(c, c % 7 + 1), special_numbers)
    for result in at_every_count(lambda: op(*matrices)):
        with np.errstate(all="ignore"):
            wanted = op.reference(*(m.astype(np.float64) for m in matrices)).astype(np.float32)
        assert same_numbers(result, wanted)


@pytest.mark.parametrize("name", WITH_NUMBER)
@pytest.mark.parametrize("value", [2, 0.1, np.float32(0.1), np.float64(0.1), np.int64(3), np.inf, -0.0, 1e-300])
def test_any_kind_of_number(name: str, value: Any) -> None:
    x = special_numbers(0, 3, 5)
    with np.errstate(all="ignore"):
        wanted = (x * np.float32(value)) if name == "scale" else (x + np.float32(value))
        assert same_numbers(WITH_NUMBER[name](x, value), wanted)


@pytest.mark.parametrize("name", WITH_NUMBER)
def test_nan_is_a_number_here(name: str) -> None:
    assert np.isnan(WITH_NUMBER[name](numbers(0, 2, 3), np.nan)).all()


@pytest.mark.parametrize("name", WITH_NUMBER)
@pytest.mark.parametrize("value", [1e39, -1e39, np.float64(1e300)])
def test_a_number_beyond_float32_is_refused(name: str, value: float) -> None:
    with pytest.raises(DtypeError, match=rf"^{name}: (factor|offset) is .*, which is beyond the range of float32$"):
        WITH_NUMBER[name](numbers(0, 2, 3), value)


@pytest.mark.parametrize("name", WITH_NUMBER)
@pytest.mark.parametrize("value", [True, "2", None, 1j, np.ones(1, np.float32), np.ones((1, 1), np.float32)])
def test_what_is_no_number_is_refused(name: str, value: Any) -> None:
    with pytest.raises(DtypeError, match=rf"^{name}: (factor|offset) must be a number, got {type(value).__name__}$"):
        WITH_NUMBER[name](numbers(0, 2, 3), value)


@given(n=rows, c=widths, seed=seeds)
def test_accumulate_adds_in_place(n: int, c: int, seed: int) -> None:
    for make in (numbers, special_numbers):
        target, x = make(seed, n, c), make(seed + 1, n, c)
        kept = x.copy()
        with np.errstate(all="ignore"):
            wanted = target + x
            assert ops.accumulate(target, x) is target
        assert same_numbers(target, wanted)
        assert same_bits(x, kept)


@given(seed=seeds, layout=st.sampled_from(sorted(LAYOUTS)))
def test_accumulate_takes_any_layout_of_what_is_added(seed: int, layout: str) -> None:
    target, x = numbers(seed, 5, 7), numbers(seed + 1, 5, 7)
    wanted = target + x
    ops.accumulate(target, LAYOUTS[layout](x))
    assert same_bits(target, wanted)


@pytest.mark.parametrize("layout", ["fortran", "negative strides", "sliced", "read-only"])
def test_accumulate_refuses_a_target_that_it_cannot_write_into(layout: str) -> None:
    target = LAYOUTS[layout](numbers(0, 5, 7))
    kept = target.copy()
    with pytest.raises(
        ShapeError, match=r"^accumulate: target is written in place, so it must be a writable array in C"
    ):
        ops.accumulate(target, numbers(1, 5, 7))
    assert same_bits(np.ascontiguousarray(target), np.ascontiguousarray(kept))


def test_accumulate_refuses_other_shapes_and_types() -> None:
    wide: Any = np.zeros((3, 4))
    with pytest.raises(ShapeError, match=r"^accumulate: x must be Mat\[3, 4\], got an array of shape \[4, 3\]$"):
        ops.accumulate(numbers(0, 3, 4), numbers(0, 4, 3))
    with pytest.raises(DtypeError, match=r"^accumulate: target must be float32"):
        ops.accumulate(wide, numbers(0, 3, 4))
    with pytest.raises(DtypeError, match=r"^accumulate: x must be float32"):
        ops.accumulate(numbers(0, 3, 4), wide)


def test_accumulate_at_every_number_of_threads() -> None:
    size = shrunk(100_003, 103)
    start, x = numbers(0, 1, size), numbers(1, 1, size)
    assert all(same_bits(result, start + x) for result in at_every_count(lambda: ops.accumulate(start.copy(), x)))


def test_accumulate_a_matrix_to_itself() -> None:
    target = numbers(0, 33, 65)
    wanted = target + target
    assert same_bits(ops.accumulate(target, target), wanted)
