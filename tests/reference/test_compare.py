"""The judge is judged: it must refuse results that were made worse on purpose, and never refuse equal ones."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from reference.compare import Case, Draw, Row, judge, table
from reference.errors import Array, Errors, comparable, kinds, measure, pooled, ratio, same_pattern

Change = Callable[[np.random.Generator, Array], Array]

SHAPE = (40, 50)


def exact_numbers(rng: np.random.Generator) -> Array:
    return rng.standard_normal(SHAPE) * 10.0 ** rng.uniform(-6, 6, SHAPE)


def noisy(rng: np.random.Generator, exact: Array, roundings: float) -> Array:
    """A result whose errors have a root mean square of that many roundings."""
    return exact * (1 + rng.standard_normal(exact.shape) * roundings * 2.0**-24)


def case_of(change: Change, first_seed: int = 0, tolerance: float = 100) -> Case:
    """Ours is PyTorch's kind of result, off by two roundings, and then changed."""

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([first_seed, seed])
        exact = exact_numbers(rng)
        ours, theirs = change(rng, exact), noisy(rng, exact, 2)
        return Draw({"y": ours}, {"y": theirs}, {"y": exact})

    return Case("case", draw, tolerance)


def verdict(change: Change, first_seed: int = 0, tolerance: float = 100) -> Row:
    (row,) = judge(case_of(change, first_seed, tolerance))
    return row


def with_one(value: float) -> Change:
    def change(rng: np.random.Generator, exact: Array) -> Array:
        ours = noisy(rng, exact, 2)
        ours[3, 4] = value
        return ours

    return change


def test_a_result_of_equal_quality_passes_whatever_the_luck() -> None:
    faults = [verdict(lambda rng, exact: noisy(rng, exact, 2), seed).fault for seed in range(100)]
    assert not any(faults)


def test_single_numbers_of_equal_quality_pass_whatever_the_luck() -> None:
    def one(seed: int) -> Row:
        def draw(turn: int) -> Draw:
            rng = np.random.default_rng([seed, turn])
            exact = np.asarray(rng.uniform(1, 2))
            return Draw({"y": noisy(rng, exact, 2)}, {"y": noisy(rng, exact, 2)}, {"y": exact})

        (row,) = judge(Case("case", draw, 100, most=100))
        return row

    assert [row for row in map(one, range(60)) if row.fault] == []


@pytest.mark.parametrize("seed", range(20))
def test_a_result_a_quarter_worse_is_refused(seed: int) -> None:
    assert "times PyTorch's error" in verdict(lambda rng, exact: noisy(rng, exact, 2.5), seed).fault


def test_a_result_a_little_worse_passes() -> None:
    assert verdict(lambda rng, exact: noisy(rng, exact, 2.08)).fault == ""


def test_a_better_result_passes() -> None:
    assert verdict(lambda rng, exact: exact.astype(np.float32)).fault == ""


def test_correct_rounding_is_never_blamed_even_beside_an_exact_rival() -> None:
    def draw(seed: int) -> Draw:
        exact = exact_numbers(np.random.default_rng(seed))
        return Draw({"y": exact.astype(np.float32)}, {"y": exact}, {"y": exact})

    (row,) = judge(Case("case", draw, 2))
    assert row.fault == ""


def test_a_single_wrong_element_is_refused() -> None:
    def change(rng: np.random.Generator, exact: Array) -> Array:
        ours = noisy(rng, exact, 0.5)
        ours[3, 4] = exact[3, 4] * (1 + 30 * 2.0**-24)
        return ours

    assert "worst element" in verdict(change).fault


def test_an_error_in_small_numbers_is_not_hidden_behind_large_ones() -> None:
    def change(rng: np.random.Generator, exact: Array) -> Array:
        return np.where(np.abs(exact) < 1e-3, exact * (1 + 1e-5), noisy(rng, exact, 1))

    assert verdict(change).fault


def test_the_tolerance_holds_even_where_the_rival_is_as_far_off() -> None:
    assert "allowed" in verdict(lambda rng, exact: noisy(rng, exact, 2), tolerance=3).fault


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_or_infinity_in_another_place_is_refused(value: float) -> None:
    assert "NaN or infinity" in verdict(with_one(value)).fault


def test_a_number_where_nan_belongs_is_refused() -> None:
    def draw(seed: int) -> Draw:
        exact = exact_numbers(np.random.default_rng(seed))
        holed = exact.copy()
        holed[0, 0] = math.nan
        return Draw({"y": exact}, {"y": holed}, {"y": holed})

    (row,) = judge(Case("case", draw, 100))
    assert "NaN or infinity" in row.fault


def test_ours_may_be_right_where_the_rival_overflows_on_the_way() -> None:
    right, overflowed = np.array([1e38]), np.array([math.inf])
    assert same_pattern(right, overflowed, right)
    assert not same_pattern(np.array([math.nan]), overflowed, right)


def test_another_shape_is_refused() -> None:
    assert verdict(lambda rng, exact: exact.ravel()).fault.startswith("shape")


def test_quantities_must_be_the_same_on_both_sides() -> None:
    one = {"y": np.ones(3)}
    with pytest.raises(ValueError, match="PyTorch has"):
        judge(Case("case", lambda seed: Draw(one, {"z": np.ones(3)}, one), 1))


def test_an_empty_array_is_no_fault() -> None:
    nothing = {"y": np.empty((0, 3))}
    (row,) = judge(Case("case", lambda seed: Draw(nothing, nothing, nothing), 1))
    assert row.fault == ""


def test_draws_are_added_until_the_answer_is_certain() -> None:
    certain = verdict(lambda rng, exact: noisy(rng, exact, 2))
    close = verdict(lambda rng, exact: noisy(rng, exact, 2.17))
    assert certain.draws == 4
    assert close.draws > certain.draws


def test_errors_are_in_roundings_of_the_larger_of_result_and_terms() -> None:
    exact, scale = np.array([1.0, 1.0]), np.array([0.5, 4.0])
    found = measure(exact + 2.0**-24, exact, scale, np.ones(2, np.bool_))
    assert found.worst == 1
    assert found.square == pytest.approx((1 + 1 / 16) / 2)


def test_only_numbers_that_float32_can_hold_are_measured() -> None:
    values = np.array([1.0, math.nan, math.inf, 1e39])
    assert comparable(values, np.ones(4)).tolist() == [True, False, False, False]
    assert kinds(np.array([1.0, math.nan, math.inf, -1e39])).tolist() == [0, 1, 2, 3]


def test_the_ratio_knows_how_sure_it_is() -> None:
    rng = np.random.default_rng(0)
    steady = [Errors(4.0, 2.0)] * 8
    wild = [Errors(float(s), 1.0) for s in 4 * rng.chisquare(1, 8)]
    assert ratio(steady, steady) == (1.0, 0.0)
    assert ratio(wild, steady)[1] > 0.1
    assert ratio(steady[:1], steady[:1])[1] == math.inf
    assert pooled([Errors(1.0, 2.0), Errors(3.0, 1.0)]) == Errors(2.0, 2.0)


def test_the_table_has_a_line_for_each_row() -> None:
    rows = [Row("a", "y", "1", "1"), Row("b", "y", "2", "1", fault="worse")]
    assert table("title", rows).row_count == 2
