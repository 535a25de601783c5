"""L27 finds wrong derivatives of smooth passes, and leaves corners alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import LayerNorm, ReLU
from bendtorch.laws import examine
from bendtorch.laws.differences import DIFFERENCES, slope_of
from bendtorch.laws.law import NotHereError
from bendtorch.laws.trial import draw
from bendtorch.layer import Bwd, Fwd, Info, make_layer, no_params
from bendtorch.shapes.spec import ids_spec, mat_spec
from tests.support.mutants import affine, faults, mutant

relu: Any = ReLU
norm: Any = LayerNorm


def elementwise(n: int, c: int, function: Any, derivative: Any) -> Any:
    """y = function(x), dx = dy · derivative(x)."""
    spec = mat_spec(n, c)

    def fwd(p: Any, x: Any) -> Any:
        return Fwd(np.asarray(function(x), np.float32), x)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        return Bwd(np.asarray(dy * derivative(s), np.float32), g)

    return make_layer(no_params(), fwd, bwd, Info("Elementwise", {"n": n, "c": c}, spec, spec, spec))


def maker(function: Any, derivative: Any) -> Any:
    return lambda n, c: elementwise(n, c, function, derivative)


@pytest.mark.parametrize("fault", faults("L27"))
def test_it_finds_its_faults(fault: str) -> None:
    (failure,) = examine(mutant(fault), only="L27").failures
    assert "F's difference gives" in str(failure)


@pytest.mark.parametrize(
    ("function", "derivative"),
    [
        (np.tanh, lambda x: 1 - np.tanh(x) ** 2),
        (np.exp, np.exp),
        (lambda x: x * x * x, lambda x: 3 * x * x),
        (lambda x: np.sin(8 * x), lambda x: 8 * np.cos(8 * x)),
        (np.abs, np.sign),
        (lambda x: np.maximum(x, np.float32(0.5)), lambda x: x > 0.5),
        (lambda x: 1000 + x, np.ones_like),
        (np.zeros_like, np.zeros_like),
    ],
)
def test_it_holds_of_right_derivatives(function: Any, derivative: Any) -> None:
    (outcome,) = examine(maker(function, derivative), only="L27").outcomes
    assert outcome.failure is None
    assert outcome.cases > 50


@pytest.mark.parametrize(
    ("function", "derivative"),
    [
        (np.tanh, lambda x: 1 - 0.97 * np.tanh(x) ** 2),
        (np.exp, lambda x: 1 + x),
        (lambda x: x * x * x, lambda x: 3.05 * x * x),
        (np.abs, np.abs),
        (lambda x: np.maximum(x, np.float32(0)), np.ones_like),
        (lambda x: np.maximum(x, np.float32(0)), lambda x: x < 0),
    ],
)
def test_it_fails_of_wrong_ones(function: Any, derivative: Any) -> None:
    assert len(examine(maker(function, derivative), only="L27").failures) == 1


def test_what_rounding_hides_is_not_judged() -> None:
    """Of a normalised row of two numbers, ±1 to the last bit, the derivative is there but moves nothing."""
    assert examine(norm, only="L27", seed=453, cases=1).failures == ()


def test_corners_are_left_out() -> None:
    trial = draw(relu(2, 3), 0)
    trial.x[...] = 0
    with pytest.raises(NotHereError, match="no coordinate at which a difference is reliable"):
        DIFFERENCES.compare(trial)


@given(st.floats(-1.5, 1.5), st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3))
def test_a_corner_adds_what_it_takes_the_difference_off(at: float, corner: float, bend: float, slope: float) -> None:
    """Of slope·t + bend·t² with a corner: the derivative at 0 is within what is said, or nothing is."""
    h = 2.0**-7
    points = {k: k * h for k in (-2, -1, 0, 1, 2)}
    outputs = {
        k: [np.array([slope * t + bend * t * t + corner * max(t - at * h, 0.0)], np.float64)] for k, t in points.items()
    }
    known = slope_of([np.ones(1)], points, outputs, h)
    derivatives = [slope + corner * (at < 0 or (at == 0 and right)) for right in (False, True)]
    if known is not None:
        assert all(abs(known[0] - wanted) <= known[1] + 1e-9 for wanted in derivatives)


def test_ids_have_no_derivative() -> None:
    """Of an input of ids and numbers, the numbers are judged."""

    def both(n: int, c: int) -> Any:
        spec = (ids_spec(n, below=c), mat_spec(n, c))

        def fwd(p: Any, x: Any) -> Any:
            return Fwd(x[1] * (np.arange(c) == x[0][:, None]).astype(np.float32), x[0])

        def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
            return Bwd((s, dy * (np.arange(c) == s[:, None]).astype(np.float32)), g)

        return make_layer(no_params(), fwd, bwd, Info("Pick", {"n": n, "c": c}, spec, mat_spec(n, c), ids_spec(n)))

    (outcome,) = examine(both, only="L27").outcomes
    assert outcome.failure is None
    assert outcome.cases > 50


def test_no_difference_of_an_empty_batch() -> None:
    with pytest.raises(NotHereError):
        DIFFERENCES.compare(draw(relu(0, 3), 0))
    assert DIFFERENCES.compare(draw(affine(0, 2, 3), 0)) is None  # its parameters have a slope of 0


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
def test_a_gradient_that_is_not_finite_is_wrong(wrong: float) -> None:
    """Where the derivative is; it does not excuse itself by its size."""
    found = examine(maker(np.sin, lambda x: np.full_like(x, wrong)), only=("L26", "L27"), cases=20).failures
    assert {failure.law.number for failure in found} == {"L26", "L27"}


def test_a_bend_further_out_is_seen() -> None:
    """ReLU6, whose gradient forgets the upper end."""
    right = maker(lambda x: np.clip(x, 0, 6), lambda x: (x > 0) & (x < 6))
    assert examine(right, only="L27").failures == ()
    wrong = maker(lambda x: np.clip(x, 0, 6), lambda x: x > 0)
    (failure,) = examine(wrong, only="L27").failures
    assert failure.trial.sizes == (1, 1)
    assert failure.trial.x[0, 0] >= 6
