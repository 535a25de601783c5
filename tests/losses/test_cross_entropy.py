"""Cross-entropy: the checks of every loss, options, edge values; the laws are in `laws/test_cross_entropy.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, IndexRangeError
from bendtorch.kernels.rows import BLOCK
from bendtorch.losses import CrossEntropy
from tests.support import references
from tests.support.arrays import labels, numbers, same_bits
from tests.support.losses import Judged, Options, check_loss, label_options, label_target
from tests.support.references import TINY, Bounded
from tests.support.sizes import seeds, shrunk, some_rows, widths

CE: Any = CrossEntropy
UNIT = references.UNIT


def judge(
    y: Any, target: Any, ignore_index: int | None = None, weight: Any = None, label_smoothing: float = 0.0
) -> Judged:
    """The loss and its gradient, within the roundings of exp, of the blocks' sums and of the result.

    `wanted` is how much each class of each row counts in the mean. The labels' logits must be finite.
    """
    n, c = y.shape
    w = np.ones(c) if weight is None else np.asarray(weight, np.float64)
    kept = np.ones(n, bool) if ignore_index is None else target != ignore_index
    label = np.where(kept, target, 0)
    total = float(w[label][kept].sum())
    share = np.where(kept, 1 / total if total else 0.0, 0.0)[:, None]
    onehot = np.arange(c) == label[:, None]
    each = share * label_smoothing * w / c
    wanted = share * (1 - label_smoothing) * w[label][:, None] * onehot + each
    shifted = y - y.max(axis=1, keepdims=True)
    log = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    every = wanted.sum(axis=1, keepdims=True) * np.exp(shifted - log)
    depth, sum_error = np.where(np.isinf(shifted), 0, -shifted), (min(c, 1024) + 8) * UNIT
    loss = np.sum(wanted * (log + depth))
    return Judged(
        Bounded(loss, np.asarray(sum_error * (loss + np.sum(wanted)))),
        Bounded(every - wanted, every * ((16 + depth) * UNIT + sum_error) + 3 * UNIT * wanted + TINY),
        total,
    )


def ce_options(c: int, seed: int) -> Options:
    """Any of the options."""
    options, smoothing = label_options(c, seed), (0.0, 0.1, 0.5, 1.0)[seed % 4]
    return {**options, "label_smoothing": smoothing} if seed % 3 else options


test_cross_entropy = check_loss(CrossEntropy, judge, label_target, ce_options)
test_plain_cross_entropy = check_loss(CrossEntropy, judge, label_target)


def test_many_classes_against_float64() -> None:
    n, c = 3, shrunk(49152, 500)
    y, target = numbers(0, n, c, scale=3.0), labels(1, n, c)
    for options in ({}, {"label_smoothing": 0.1, "weight": numbers(2, c) ** 2}):
        expected, out = judge(y.astype(np.float64), target, **options), CE(n, c, **options).grad(y, target)
        assert expected.value.holds(np.asarray(out.loss))
        assert expected.gradient.holds(out.dy)


@given(seed=seeds, order=st.permutations(range(4)))
def test_the_largest_number_may_come_in_any_block(seed: int, order: list[int]) -> None:
    """Rows whose blocks lie apart, from all too small to count to the largest; some blocks are -inf."""
    c, block = shrunk(4096, 4), shrunk(1024, 1)
    y = numbers(seed, 2, c) + np.repeat(np.array([-200, -30, -1, 0], np.float32)[list(order)], block)
    y[1, :block] = -np.inf
    target = np.array([seed % c, c - 1])
    expected, out = judge(y.astype(np.float64), target), CE(2, c).grad(y, target)
    assert expected.gradient.holds(out.dy)
    assert expected.value.holds(np.asarray(out.loss))


@given(n=some_rows, c=widths, seed=seeds)
def test_the_gradient_sums_to_zero_along_a_row(n: int, c: int, seed: int) -> None:
    dy = CE(n, c).grad(numbers(seed, n, c), labels(seed, n, c)).dy.astype(np.float64)
    assert np.all(np.abs(dy.sum(axis=1)) <= 16 * UNIT * (c + 1) / n)


@given(n=some_rows, c=widths, seed=seeds, smoothing=st.sampled_from([0.0, 0.25]))
def test_where_no_row_counts_loss_and_gradient_are_zero(n: int, c: int, seed: int, smoothing: float) -> None:
    out = CE(n, c, ignore_index=-1, label_smoothing=smoothing).grad(numbers(seed, n, c), np.full(n, -1))
    assert out.loss == 0.0
    assert same_bits(out.dy, np.zeros((n, c), np.float32))


@pytest.mark.parametrize("smoothing", [-0.1, 1.1, np.nan, "0.1", None, True])
def test_a_smoothing_that_is_no_share_is_refused(smoothing: Any) -> None:
    with pytest.raises(ConfigError, match=r"^CrossEntropy\(2, 3\): label_smoothing must be a number from 0 to 1, got "):
        CE(2, 3, label_smoothing=smoothing)


NAN = np.nan
INF = np.inf


@pytest.mark.parametrize(
    ("row", "label", "loss", "gradient"),
    [
        ([-INF, -INF, -INF], 1, INF, [0.0, 0.0, 0.0]),
        ([-INF, 0, -INF], 1, 0.0, [0.0, 0.0, 0.0]),
        ([-INF, 0, 0], 0, INF, [-1.0, 0.5, 0.5]),
        ([1e30, 0, 0], 0, 0.0, [0.0, 0.0, 0.0]),
        ([0, 1e30, 0], 0, float(np.float32(1e30)), [-1.0, 1.0, 0.0]),
        ([-3e38, 3e38, 0], 1, 0.0, [0.0, 0.0, 0.0]),
        ([0, 200, 0], 0, 200.0, [-1.0, 1.0, 0.0]),
        ([NAN, 0, 0], 0, NAN, [NAN, NAN, NAN]),
        ([0, NAN, 0], 0, NAN, [NAN, NAN, NAN]),
        ([-NAN, 0, 0], 0, NAN, [NAN, NAN, NAN]),
        ([NAN, -INF, -INF], 1, NAN, [NAN, NAN, NAN]),
        ([-NAN, -INF, -INF], 1, NAN, [NAN, NAN, NAN]),
        ([-NAN, -NAN, -NAN], 1, NAN, [NAN, NAN, NAN]),
        ([INF, NAN, -NAN], 1, NAN, [NAN, NAN, NAN]),
        ([INF, 0, 0], 0, NAN, [NAN, NAN, NAN]),
        ([INF, 0, 0], 1, NAN, [NAN, NAN, NAN]),
    ],
)
def test_edge_values(row: list[float], label: int, loss: float, gradient: list[float]) -> None:
    """NaN of either sign and +inf give NaN, as PyTorch's logarithm of the softmax; a row of -inf does not."""
    y, target = np.array([row], np.float32), np.array([label])
    with np.errstate(all="ignore"):
        out, value = CE(1, 3).grad(y, target), CE(1, 3).value(y, target)
    assert np.array_equal([out.loss, value], [loss, loss], equal_nan=True)
    assert np.array_equal(np.isnan(out.dy[0]), np.isnan(gradient))
    assert np.allclose(out.dy[0], gradient, rtol=1e-6, atol=1e-37, equal_nan=True)


def test_one_bad_row_spoils_the_loss_but_not_the_gradient_of_the_others() -> None:
    y, target = numbers(0, 3, 4), np.array([0, 1, 2])
    clean = CE(3, 4).grad(y, target)
    for bad, expected in ((np.nan, np.nan), (-np.inf, np.inf)):
        y[1] = bad
        with np.errstate(all="ignore"):
            out = CE(3, 4).grad(y, target)
        assert np.array_equal([out.loss], [expected], equal_nan=True)
        assert same_bits(out.dy[[0, 2]], clean.dy[[0, 2]])


@pytest.mark.parametrize(
    ("row", "loss", "gradient"),
    [
        ([-INF, -INF, -INF], INF, [0.0, 0.0, 0.0]),
        ([-INF, 0, 0], INF, [0.0 - 0.1, 0.5 - 0.8, 0.5 - 0.1]),
        ([NAN, 0, 0], NAN, [NAN, NAN, NAN]),
    ],
)
def test_edge_values_with_smoothing(row: list[float], loss: float, gradient: list[float]) -> None:
    """A class that cannot be, and yet is wanted a little, has infinite loss, and a gradient that pulls it up."""
    with np.errstate(all="ignore"):
        out = CE(1, 3, label_smoothing=0.3).grad(np.array([row], np.float32), np.array([1]))
    assert np.array_equal([out.loss], [loss], equal_nan=True)
    assert np.allclose(out.dy[0], gradient, rtol=1e-6, atol=1e-7, equal_nan=True)


@given(
    n=some_rows, c=st.one_of(widths, st.sampled_from([BLOCK, BLOCK + 1, shrunk(4 * BLOCK + 3, BLOCK + 3)])), seed=seeds
)
def test_the_gradient_in_the_place_of_the_logits_has_the_same_bits(n: int, c: int, seed: int) -> None:
    y, target = 20 * numbers(seed, n, c), labels(seed, n, c)
    y[seed % n, : 1 + seed % c] = -np.inf
    loss = CE(n, c, **label_options(c, seed))
    expected, place = loss.grad(y, target), y.copy()
    out = loss.grad_over(place, target)
    assert out.dy is place
    assert same_bits(out.dy, expected.dy)
    assert out.loss.hex() == expected.loss.hex()


def test_smoothing_reads_the_logits_again_so_they_stay() -> None:
    assert CE(2, 3, label_smoothing=0.1).grad_over is None
    assert CE(2, 3).grad_over is not None


def test_labels_are_checked_before_the_logits_are_lost() -> None:
    y = numbers(0, 2, 3)
    before = y.copy()
    with pytest.raises(IndexRangeError):
        CE(2, 3).grad_over(y, np.array([0, 3]))
    assert same_bits(y, before)
