"""NLL: the checks of every loss, what cross-entropy is made of, and edge values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.losses import NLL, CrossEntropy
from tests.support.arrays import labels, numbers
from tests.support.losses import Judged, check_loss, label_options, label_target
from tests.support.references import UNIT, Bounded
from tests.support.sizes import seeds, some_rows, widths

LOSS: Any = NLL
CE: Any = CrossEntropy


def judge(y: Any, target: Any, ignore_index: int | None = None, weight: Any = None) -> Judged:
    """The weighed mean of -y[label]; nothing where no row counts."""
    n, c = y.shape
    counts = np.ones(n, bool) if ignore_index is None else target != ignore_index
    rows, picked = np.flatnonzero(counts), target[counts]
    w = np.ones(c) if weight is None else np.asarray(weight, np.float64)
    total = float(w[picked].sum())
    share = w[picked] / total if total else np.zeros(len(picked))
    terms, gradient = -share * y[rows, picked], np.zeros((n, c))
    gradient[rows, picked] = -share
    return Judged(
        Bounded(np.asarray(terms.sum()), np.asarray(1e-13 * np.abs(terms).sum())),
        Bounded(gradient, UNIT * np.abs(gradient) * (1 + 1e-6)),
        total,
    )


test_nll = check_loss(NLL, judge, label_target, label_options)


@given(n=some_rows, c=widths, seed=seeds)
def test_of_log_softmax_it_is_cross_entropy(n: int, c: int, seed: int) -> None:
    y, target = numbers(seed, n, c), labels(seed, n, c)
    wide = y.astype(np.float64)
    log_softmax = (wide - np.log(np.exp(wide).sum(axis=1, keepdims=True))).astype(np.float32)
    assert LOSS(n, c).value(log_softmax, target) == pytest.approx(CE(n, c).value(y, target), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("picked", "loss"), [(np.nan, np.nan), (-np.inf, np.inf), (np.inf, -np.inf), (-0.0, 0.0)])
def test_edge_values(picked: float, loss: float) -> None:
    """Only what the label picks counts: NaN elsewhere is not seen, as in PyTorch."""
    out = LOSS(1, 3).grad(np.array([[np.nan, picked, np.inf]], np.float32), np.array([1]))
    assert np.array_equal([out.loss], [loss], equal_nan=True)
    assert out.dy.tolist() == [[0, -1, 0]]
