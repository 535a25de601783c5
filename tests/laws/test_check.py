"""`check`: which laws on which layers, sizes that a maker takes, the same run every time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bendtorch import Bwd, Fwd, Lin, ReLU, make_layer
from bendtorch.errors import ConfigError, DtypeError, LawError, ShapeError
from bendtorch.laws import check, examine
from bendtorch.laws.catalogue import laws_of
from bendtorch.laws.check import outcome_of
from bendtorch.laws.gradients import PURE
from bendtorch.laws.law import Difference, NotHereError
from bendtorch.laws.source import Source
from bendtorch.laws.trial import Trial
from bendtorch.layer import Info, no_params
from bendtorch.shapes.spec import mat_spec
from tests.support.mutants import EXPECTED, affine, mutant

relu: Any = ReLU


@pytest.mark.parametrize("fault", EXPECTED)
def test_every_fault_is_found_by_the_law_one_expects(fault: str) -> None:
    with pytest.raises(LawError, match=f"breaks {EXPECTED[fault]} "):
        check(mutant(fault), cases=40)


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    report = check(affine)
    assert report.applied == laws_of("Affine")
    assert all(outcome.cases >= 40 for outcome in report.outcomes)


def test_sizes_go_from_nothing_to_odd_ones_and_only_the_batch_is_empty() -> None:
    seen = set()

    def maker(n: int, c: int) -> Any:
        seen.add((n, c))
        return relu(n, c)

    check(maker, only="L33")
    assert {n for n, _ in seen} == {0, 1, 2, 3, 5, 8}
    assert {c for _, c in seen} == {1, 2, 3, 4, 5, 8}


def test_sizes_that_the_maker_refuses_are_drawn_again() -> None:
    def even(n: int, c: int) -> Any:
        if c % 2:
            raise ShapeError("c must be even")
        return relu(n, c)

    (outcome,) = check(even, only="L33").outcomes
    assert outcome.cases == 100

    def never(n: int) -> Any:
        raise ConfigError("not today")

    with pytest.raises(ConfigError, match=r"laws: never\(n\) refuses every size .*: not today"):
        check(never)


def test_a_run_is_the_same_every_time() -> None:
    one, two = (examine(mutant("g is overwritten")) for _ in range(2))
    assert str(one) == str(two)


@pytest.mark.parametrize("cases", [0, -1, 2.0, True])
def test_the_number_of_cases(cases: Any) -> None:
    with pytest.raises(ConfigError, match="cases must be an int of at least 1"):
        check(relu(2, 3), cases=cases)
    assert check(relu(2, 3), only="L33", cases=3).outcomes[0].cases == 3


@pytest.mark.parametrize("seed", [-1, 1.0, True, None])
def test_the_seed(seed: Any) -> None:
    with pytest.raises(ConfigError, match="laws: seed must be an int of at least 0"):
        check(relu(2, 3), seed=seed)


@pytest.mark.parametrize("maker", [3, None, "ReLU"])
def test_what_is_no_layer_and_builds_none_is_refused(maker: Any) -> None:
    with pytest.raises(
        ConfigError, match=f"laws: expected a layer, or a function of sizes that builds one, got {maker!r}"
    ):
        check(maker)


def test_what_builds_something_else_is_refused() -> None:
    maker: Any = Lin
    with pytest.raises(DtypeError, match=r"^laws: Lin\(weight, bias\) must build a layer or a loss, got Lin$"):
        check(maker)


def unsteady(n: int, c: int, generator: Any) -> Any:
    """A layer whose gradient is off by another factor now and then."""
    layer = relu(n, c)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        off = np.float32(1 + 1e-3 * generator.random() * (generator.random() < 0.2))
        return Bwd(layer.bwd(p, s, dy, g).dx * off, g)

    return make_layer(no_params(), layer.fwd, bwd, layer.info)


def test_a_layer_that_is_not_deterministic_is_reported_and_its_impurity_first() -> None:
    generator = np.random.default_rng(0)
    report = examine(lambda n, c: unsteady(n, c, generator))
    assert report.failures[0].law.number == "L33"
    assert any("The same case did not show it again" in str(failure) for failure in report.failures)
    with pytest.raises(LawError, match=r"^ReLU\(\d, \d\) breaks L33 "):
        report.raise_if_failed()


def noisy(n: int, c: int, generator: Any) -> Any:
    """A layer whose output is off by another number each time."""
    spec = mat_spec(n, c)

    def fwd(p: Any, x: Any) -> Any:
        return Fwd(x + np.float32(1e-3 * generator.random()), x)

    info = Info("Noisy", {"n": n, "c": c}, spec, spec, spec)
    return make_layer(no_params(), fwd, lambda p, s, dy, g: Bwd(dy.copy(), g), info)


def test_a_forward_pass_that_is_not_deterministic_breaks_l33() -> None:
    generator = np.random.default_rng(0)
    with pytest.raises(LawError, match=r"^Noisy\(\d, \d\) breaks L33 "):
        check(lambda n, c: noisy(n, c, generator), cases=30)


def test_a_law_that_no_longer_applies_to_the_smallest_case_is_told_as_it_was_found() -> None:
    calls: list[Trial] = []

    def compare(trial: Trial) -> Difference:
        calls.append(trial)
        if len(calls) > 1:
            raise NotHereError("not now")
        return Difference("y[0]", "one side", "0.0", "the other", "1.0")

    failure = outcome_of(replace(PURE, compare=compare), Source(relu), 1, 0).failure
    assert failure is not None
    assert "at y[0], one side gives 0.0 and the other gives 1.0" in str(failure)
    assert "a second call must give equal bits (L33)" in str(failure)


def remembering(n: int, c: int) -> Any:
    """A layer whose backward pass reads what the last forward pass left behind."""
    spec, last = mat_spec(n, c), {}

    def fwd(p: Any, x: Any) -> Any:
        last["x"] = x.copy()
        return Fwd(x * x, x)

    info = Info("Remembering", {"n": n, "c": c}, spec, spec, spec)
    return make_layer(no_params(), fwd, lambda p, s, dy, g: Bwd(dy * 2 * last["x"], g), info)


def test_a_backward_pass_of_an_earlier_forward_pass_is_compared() -> None:
    with pytest.raises(LawError, match=r"breaks L33 .* at dx\[0, 0\], a second call, after fwd of x2, gives"):
        check(remembering, cases=30)
