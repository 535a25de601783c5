"""The harness is judged: its checks must refuse faulty layers, and float64's bounds must not hide anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bendtorch.errors import IndexRangeError
from bendtorch.layer import Bwd, Fwd, Info, make_layer, no_params
from bendtorch.shapes.guard import guard_ids, guard_mat
from bendtorch.shapes.spec import check_sizes, ids_spec, mat_spec
from tests.support import layers, passes
from tests.support.layers import JudgedCase, check_layer
from tests.support.references import UNIT, Bounded, Gradients, Reference

N, T, C = 3, 4, 5


def gated(b: Any, t: Any, c: Any, fault: str = "") -> Any:
    """((q, k), lens) becomes q · k on the first `lens` positions of b sequences, else 0; right but for `fault`."""
    name = f"Gated({b}, {t}, {c})"
    check_sizes(name, rows=("b",), b=b, t=t, c=c)
    shape = (b * t, c)

    def guarded(x: Any, what: str) -> Any:
        (q, k), lens = x
        if fault != "a layout is misread":
            q, k = guard_mat(q, shape, name, f"{what}'s q"), guard_mat(k, shape, name, f"{what}'s k")
        else:
            q, k = (np.frombuffer(a.tobytes(order="A"), np.float32).reshape(shape) for a in (q, k))
        lens = guard_ids(lens, b, name, f"{what}'s lens")
        wrong = np.flatnonzero((lens < 0) | (lens > t))
        if wrong.size and fault != "ids are not compared with their bound":
            raise IndexRangeError(f"{name}: lens[{wrong[0]}] is {lens[wrong[0]]}, they go from 0 to {t}")
        return (q, k), lens

    def inside(lens: Any) -> Any:
        return (np.arange(t) < lens[:, None]).reshape(b * t, 1)

    def fwd(p: Any, x: Any) -> Any:
        (q, k), lens = guarded(x, "x")
        y = np.where(inside(lens), q * k, np.float32(0))
        if fault == "y is a little off":
            y = y * np.float32(1 + 2.0**-20)
        if fault == "NaN spreads":
            y = y + np.float32(0) * q.sum()
        return Fwd(y, ((q, k), lens))

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        (q, k), lens = guarded(s, "the saved")
        dy = guard_mat(dy, shape, name, "dy")
        dq, dk = (np.where(inside(lens), dy * other, np.float32(0)) for other in (k, q))
        if fault == "NaN vanishes":
            dq = np.nan_to_num(dq, nan=0.0)
        if fault == "the gradients are swapped":
            dq, dk = dk, dq
        return Bwd(((dq, dk), lens), g)

    mat = mat_spec(b * t, c)
    spec = ((mat, mat), ids_spec(b, below=t + 1))
    return make_layer(no_params(), fwd, bwd, Info("Gated", {"b": b, "t": t, "c": c}, spec, mat, spec))


def reference(b: int, t: int, c: int) -> Reference:
    """The same in float64."""

    def masked(lens: Any, value: Any) -> Bounded:
        kept = np.where((np.arange(t) < lens[:, None]).reshape(b * t, 1), value, 0.0)
        return Bounded(kept, UNIT * np.abs(kept) + 2.0**-149)

    return Reference(
        lambda p, x: masked(x[1], x[0][0] * x[0][1]),
        lambda p, x, dy: Gradients(((masked(x[1], dy * x[0][1]), masked(x[1], dy * x[0][0])), None)),
    )


test_a_right_layer_passes = check_layer(gated, 2, reference, large=(30, 20, 40))


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ("y is a little off", layers.forward_matches_float64),
        ("the gradients are swapped", layers.backward_matches_float64),
        ("NaN spreads", layers.nan_and_infinity_stay_in_their_element),
        ("NaN vanishes", layers.nan_and_infinity_propagate),
        ("a layout is misread", passes.every_layout_gives_equal_bits),
        ("ids are not compared with their bound", passes.ids_out_of_range_are_refused),
    ],
)
def test_each_fault_is_found_by_its_check(fault: str, check: Callable[[Any], None]) -> None:
    def passed(planted: str) -> bool:
        try:
            for seed in range(30):
                check(JudgedCase(gated, N, (T, C), seed, {"fault": planted}, judge=judge))
        except (AssertionError, pytest.fail.Exception):
            return False
        return True

    def judge(b: int, t: int, c: int, fault: str) -> Reference:
        return reference(b, t, c)

    assert passed("")
    assert not passed(fault)


INF, NAN, MOST = np.inf, np.nan, float(np.finfo(np.float32).max)


@pytest.mark.parametrize(
    ("value", "bound", "actual", "held"),
    [
        (1.0, 0.1, 1.05, True),
        (1.0, 0.1, 1.2, False),
        (1.0, 0.0, 1.0, True),
        (NAN, 0.1, NAN, True),
        (NAN, NAN, 1.0, False),
        (1.0, 0.1, NAN, False),
        (INF, INF, INF, True),
        (INF, NAN, -INF, False),
        (INF, NAN, 1.0, False),
        (1.0, 0.1, INF, False),
        (1.0, NAN, 7.0, True),  # an infinity has no part in it, but is in the bound
        (1.0, INF, NAN, False),
        (1.0, INF, INF, False),
        (2 * MOST, 1.0, INF, True),
        (2 * MOST, 1.0, MOST, False),
        (-2 * MOST, 1.0, INF, False),
        (MOST, MOST / 2, INF, True),
        (MOST, MOST / 2, MOST, True),
        (MOST, MOST / 2, -INF, False),
    ],
)
def test_bounds_hold_what_they_should(value: float, bound: float, actual: float, held: bool) -> None:
    bounded = Bounded(np.array([value]), np.array([bound]))
    assert bounded.holds(np.array([actual], np.float32)) == held


def test_bounds_are_of_one_shape() -> None:
    assert not Bounded(np.zeros((1, 2)), np.ones((1, 2))).holds(np.zeros((2, 1), np.float32))
