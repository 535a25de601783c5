"""The laws of the passes find what breaks them, and say nothing where they do not apply."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bendtorch import Dropout, LayerNorm, Linear, LinearNB, ReLU, Tie, grad
from bendtorch.laws import examine
from bendtorch.laws.gradients import ACCUMULATES, LINEAR, SCALES, SPLITS
from bendtorch.laws.law import Law, NotHereError
from bendtorch.laws.trial import Trial, draw
from bendtorch.layer import Bwd, Fwd, Info, make_layer, matrix, no_params
from bendtorch.shapes.spec import ids_spec, mat_spec
from tests.support.mutants import EXPECTED, affine, faults, mutant

NUMBERS = ("L24", "L25", "L31", "L32", "L33", "L35")
linear: Any = Linear
relu: Any = ReLU
dropout: Any = Dropout
norm: Any = LayerNorm


@pytest.mark.parametrize("fault", faults(*NUMBERS))
def test_each_finds_its_faults(fault: str) -> None:
    (failure,) = examine(mutant(fault), only=EXPECTED[fault]).failures
    assert failure.law.number == EXPECTED[fault]


def test_each_holds_where_nothing_is_wrong() -> None:
    report = examine(affine, only=NUMBERS)
    assert report.failures == ()
    assert report.applied == NUMBERS


def scaled(trial: Trial, factor: float) -> Trial:
    signs = np.where(trial.dy < 0, np.float32(-1), np.float32(1))
    return replace(trial, dy=signs * np.float32(factor), dy2=signs * np.float32(factor))


@pytest.mark.parametrize(
    ("law", "trial", "reason"),
    [
        (SPLITS, draw(linear(2, 3, 4), 0), "no other batch size can be built"),
        (SPLITS, draw(dropout(2, 3, 0.5, 1), 0, sizes=(2,), resized=relu), "depend on the place in the batch"),
        (SPLITS, draw(relu(5, 3), 0, sizes=(2,), resized=relu), "no rows for each element of the batch"),
        (SPLITS, draw(relu(0, 3), 0, sizes=(0,), resized=relu), "no rows for each element of the batch"),
        (ACCUMULATES, draw(relu(2, 3), 0), "it has no parameters"),
        (LINEAR, scaled(draw(linear(2, 3, 4), 0), 3e38), "a result is not finite"),
        (SCALES, scaled(draw(linear(2, 3, 4), 0), 1e-38), "outside of the range in which float32 scales exactly"),
        (SCALES, scaled(draw(linear(2, 3, 4), 0), 3e38), "outside of the range in which float32 scales exactly"),
    ],
)
def test_they_say_why_they_do_not_apply(law: Law, trial: Trial, reason: str) -> None:
    with pytest.raises(NotHereError, match=reason), np.errstate(all="ignore"):
        law.compare(trial)


def test_a_tied_parameter_is_added_twice_and_so_only_close() -> None:
    tied = Tie(LinearNB(3, 4, 4), ReLU(3, 4), LinearNB(3, 4, 4))
    (outcome,) = examine(tied, only="L32", cases=20).outcomes
    assert outcome.failure is None
    assert outcome.cases > 0


def normalised(n: int, c: int) -> Any:
    """x · g / √(mean x² + eps) by rows: in rows of one number the terms of dx cancel but for some 1e-5 of them."""
    spec = mat_spec(n, c)

    def fwd(p: Any, x: Any) -> Any:
        r = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + np.float32(1e-5))
        return Fwd(x * r * p, (x, r))

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        x, r = s
        g += (dy * x * r).sum(axis=0, keepdims=True)
        return Bwd(r * (dy * p - x * r * (dy * p * x * r).mean(axis=1, keepdims=True)), g)

    info = Info("Normalised", {"n": n, "c": c}, spec, spec)
    return make_layer(matrix(1, c, "gain"), fwd, bwd, info)


def test_terms_that_cancel_unseen_are_no_fault() -> None:
    report = examine(normalised)
    assert report.failures == ()
    assert "L24" in report.applied


def test_ids_may_be_widened_but_not_changed_into_numbers() -> None:
    """L25, where the gradient of ids is only something in its place."""
    trial = draw(linear(2, 3, 4), 0)
    ids = np.zeros(2, np.int32)

    def gives(dx: Any) -> Any:
        layer = replace(trial.layer, bwd=lambda p, s, dy, g: replace_dx(trial.layer.bwd(p, s, dy, g), dx))
        layer = replace(layer, fwd=lambda p, x: trial.layer.fwd(p, trial.x))
        return examine(layer, only="L25", cases=5, x=ids).failures

    silent = replace(trial.layer.info, takes=None, saves=None)
    trial = replace(trial, layer=replace(trial.layer, info=silent))
    assert gives(ids) == ()
    assert gives(ids.astype(np.int64)) == ()
    assert len(gives(ids.astype(np.float32))) == 1


def replace_dx(back: Any, dx: Any) -> Any:
    back.dx = dx
    return back


def own(name: str, f: Any, d: Any) -> Any:
    """An elementwise layer of a user: y = f(x), dx = d(dy, x, y)."""

    def maker(n: int, c: int) -> Any:
        spec = mat_spec(n, c)

        def fwd(p: Any, x: Any) -> Any:
            y = f(x)
            return Fwd(y, (x, y))

        info = Info(name, {"n": n, "c": c}, spec, spec)
        return make_layer(no_params(), fwd, lambda p, s, dy, g: Bwd(d(dy, *s), g), info)

    return maker


FINITE_LAYERS = {
    "exp overflows": own("Exp", np.exp, lambda dy, x, y: dy * y),
    "exp on the tape": lambda n, c: grad.layer_of(grad.exp, n, c, c, no_params()),
    "a root has an infinite slope at 0": own(
        "Root", lambda x: np.sqrt(np.abs(x)), lambda dy, x, y: dy * (np.copysign(np.float32(0.5), x) / y)
    ),
    "a chain in which terms cancel": lambda n, i, o: norm(n, i) >> linear(n, i, o) >> relu(n, o) >> linear(n, o, i),
}


@pytest.mark.parametrize("maker", FINITE_LAYERS.values(), ids=FINITE_LAYERS)
def test_what_overflows_or_cancels_is_no_fault_of_the_backward_pass(maker: Any) -> None:
    (outcome,) = examine(maker, only="L24", cases=400).outcomes
    assert outcome.failure is None, str(outcome.failure)
    assert outcome.cases > 100


def gathered(n: int, v: int, c: int) -> Any:
    """Rows of a matrix by their ids, whose gradient is added to g row by row."""

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        np.add.at(g, s, dy)
        return Bwd(s, g)

    info = Info("Gathered", {"n": n, "v": v, "c": c}, ids_spec(n, below=v), mat_spec(n, c), input_gradient=False)
    return make_layer(matrix(v, c, "rows"), lambda p, x: Fwd(p[x], x), bwd, info)


def test_sums_that_differ_by_rounding_only_are_told_so() -> None:
    (failure,) = examine(gathered, only="L32").failures
    assert "they differ by rounding only: add a finished sum. Compute the gradient apart, then g += it" in str(failure)
    (failure,) = examine(mutant("g is overwritten"), only="L32").failures
    assert "rounding only" not in str(failure)
