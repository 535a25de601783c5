"""Cross-entropy against float64, its laws, and its edge values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from bendtorch.losses import CrossEntropy
from tests.support import references
from tests.support.arrays import LAYOUTS, WRONG_IDS, WRONG_TYPES, labels, numbers, same_bits
from tests.support.sizes import seeds, shrunk, some_rows, widths
from tests.support.threads import at_every_count

CE: Any = CrossEntropy
UNIT = references.UNIT

classes = st.one_of(widths, st.just(shrunk(2500, 6)))


def check_against_float64(y: Any, target: Any) -> None:
    """The loss and the gradient are within what the roundings of exp, of the blocks' sums and of the result allow."""
    n, c = y.shape
    out = CE(n, c).grad(y, target)
    loss, gradient = references.cross_entropy(y, target)
    wide = y.astype(np.float64)
    depth = wide.max(axis=1, keepdims=True) - wide
    sum_error = (min(c, 1024) + 8) * UNIT
    assert abs(out.loss - loss) <= sum_error + 4 * UNIT * abs(loss)
    onehot = np.zeros((n, c))
    onehot[np.arange(n), target] = 1
    share = (gradient * n + onehot) / n
    assert np.all(np.abs(out.dy - gradient) <= share * ((depth + 16) * UNIT + sum_error) + UNIT * abs(gradient) + 1e-44)
    assert CE(n, c).value(y, target) == pytest.approx(out.loss, abs=1e-12, rel=4 * UNIT)


@given(n=some_rows, c=classes, seed=seeds, scale=st.sampled_from([0.0, 0.1, 1.0, 10.0, 100.0]))
def test_against_float64(n: int, c: int, seed: int, scale: float) -> None:
    check_against_float64(numbers(seed, n, c, scale=scale), labels(seed, n, c))


def test_many_classes_against_float64() -> None:
    n, c = 3, shrunk(49152, 500)
    check_against_float64(numbers(0, n, c, scale=3.0), labels(1, n, c))


@given(n=some_rows, c=classes, seed=seeds)
def test_the_value_is_the_gradients_loss(n: int, c: int, seed: int) -> None:
    y, target = numbers(seed, n, c, scale=4.0), labels(seed, n, c)
    loss = CE(n, c)
    assert loss.value(y, target) == pytest.approx(loss.grad(y, target).loss, rel=1e-6, abs=1e-6)
    assert loss(y, target).loss == loss.grad(y, target).loss


@given(n=some_rows, c=widths, seed=seeds, shift=st.integers(-1000, 1000))
def test_a_shift_of_a_row_changes_nothing(n: int, c: int, seed: int, shift: int) -> None:
    """L54, exactly where the shifted logits are exact: whole numbers."""
    y = np.random.default_rng(seed).integers(-20, 20, (n, c)).astype(np.float32)
    target, loss = labels(seed, n, c), CE(n, c)
    one, two = loss.grad(y, target), loss.grad(y + np.float32(shift), target)
    assert one.loss == two.loss
    assert same_bits(one.dy, two.dy)


@given(n=some_rows, c=widths, seed=seeds)
def test_the_gradient_sums_to_zero_along_a_row(n: int, c: int, seed: int) -> None:
    dy = CE(n, c).grad(numbers(seed, n, c), labels(seed, n, c)).dy.astype(np.float64)
    assert np.all(np.abs(dy.sum(axis=1)) <= 16 * UNIT * (c + 1) / n)


@given(n=some_rows, c=widths, seed=seeds)
def test_the_gradient_is_the_derivative_of_the_value(n: int, c: int, seed: int) -> None:
    """L36: along a random direction, by central differences in the float64 loss, which is smooth."""
    y, target, direction = numbers(seed, n, c), labels(seed, n, c), numbers(seed + 1, n, c).astype(np.float64)
    step = 1e-5
    up, _ = references.cross_entropy(y.astype(np.float64) + step * direction, target)
    down, _ = references.cross_entropy(y.astype(np.float64) - step * direction, target)
    along = float((CE(n, c).grad(y, target).dy.astype(np.float64) * direction).sum())
    assert along == pytest.approx((up - down) / (2 * step), abs=1e-5)


@given(n=some_rows, m=some_rows, c=widths, seed=seeds)
def test_parts_of_a_batch_add_by_their_share(n: int, m: int, c: int, seed: int) -> None:
    """L31 for a mean: weighted by rows."""
    y, target = numbers(seed, n + m, c), labels(seed, n + m, c)
    whole = CE(n + m, c).grad(y, target)
    first, second = CE(n, c).grad(y[:n], target[:n]), CE(m, c).grad(y[n:], target[n:])
    assert whole.loss == pytest.approx((n * first.loss + m * second.loss) / (n + m), rel=1e-12, abs=1e-12)
    assert np.allclose(whole.dy[:n], first.dy * (n / (n + m)), rtol=4 * UNIT, atol=1e-44)
    assert np.allclose(whole.dy[n:], second.dy * (m / (n + m)), rtol=4 * UNIT, atol=1e-44)


@given(n=some_rows, c=widths, seed=seeds)
def test_it_is_pure(n: int, c: int, seed: int) -> None:
    y, target = numbers(seed, n, c), labels(seed, n, c)
    before, kept = y.copy(), target.copy()
    one, two = CE(n, c).grad(y, target), CE(n, c).grad(y, target)
    assert same_bits(y, before)
    assert same_bits(target, kept)
    assert one.loss == two.loss
    assert same_bits(one.dy, two.dy)
    assert not np.shares_memory(one.dy, two.dy)
    assert isinstance(one.loss, float)


@given(n=some_rows, c=widths, seed=seeds)
def test_every_layout_and_type_of_label_gives_equal_bits(n: int, c: int, seed: int) -> None:
    y, target, loss = numbers(seed, n, c), labels(seed, n, c), CE(n, c)
    expected = loss.grad(y, target)
    for lay_out in LAYOUTS.values():
        out = loss.grad(lay_out(y), np.repeat(target, 3)[::3].astype(np.int32))
        assert out.loss == expected.loss
        assert same_bits(out.dy, expected.dy)


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


@given(n=some_rows, c=widths, seed=seeds, data=st.data())
def test_labels_out_of_range_are_named_before_anything_is_computed(n: int, c: int, seed: int, data: Any) -> None:
    y, target = numbers(seed, n, c), labels(seed, n, c)
    bad = data.draw(st.one_of(st.integers(-(2**63), -1), st.integers(c, 2**63 - 1)))
    place = data.draw(st.integers(0, n - 1))
    target[place] = bad
    if place + 1 < n:
        target[place + 1] = -7  # the first one is named
    text = f"CrossEntropy({n}, {c}): target[{place}] is {bad}, labels go from 0 to {c - 1}"
    for call in (CE(n, c).grad, CE(n, c).value):
        with pytest.raises(IndexRangeError, match=f"^{re.escape(text)}$"):
            call(y, target)


@given(c=widths)
def test_int32_labels_out_of_range(c: int) -> None:
    for bad in (-1, c, 2**31 - 1, -(2**31)):
        with pytest.raises(IndexRangeError, match=re.escape(f"target[0] is {bad}, ")):
            CE(1, c).value(np.zeros((1, c), np.float32), np.array([bad], np.int32))


def test_an_empty_batch_has_no_mean() -> None:
    for call in (CE(0, 3).grad, CE(0, 3).value):
        with pytest.raises(ShapeError, match=r"^CrossEntropy\(0, 3\): the mean over an empty batch is not defined"):
            call(np.empty((0, 3), np.float32), np.empty(0, np.int64))


@given(n=some_rows, c=widths, seed=seeds)
def test_other_arrays_are_refused(n: int, c: int, seed: int) -> None:
    y, target, loss = numbers(seed, n, c), labels(seed, n, c), CE(n, c)
    for call in (loss.grad, loss.value):
        for wrong in WRONG_TYPES:
            with pytest.raises(DtypeError, match=rf"^CrossEntropy\({n}, {c}\): y must be float32"):
                call(y.astype(wrong), target)
        for wrong in WRONG_IDS:
            with pytest.raises(DtypeError, match=rf"^CrossEntropy\({n}, {c}\): target must be int32 or int64"):
                call(y, target.astype(wrong))
        for shape in ((n + 1, c), (n, c + 1), (n * c,)):
            with pytest.raises(ShapeError, match=rf"^CrossEntropy\({n}, {c}\): y must be Mat\[{n}, {c}\]"):
                call(np.zeros(shape, np.float32), target)
        for length in ((n + 1,), (n, 1)):
            with pytest.raises(ShapeError, match=rf"^CrossEntropy\({n}, {c}\): target must be Ids\[{n}\]"):
                call(y, np.zeros(length, np.int64))


@pytest.mark.parametrize(("n", "c"), [(-1, 2), (1, 0), (1.0, 2), (1, True)])
def test_impossible_sizes_are_refused(n: Any, c: Any) -> None:
    with pytest.raises(ShapeError, match=r"^CrossEntropy\("):
        CE(n, c)


@settings(max_examples=5)
@given(seed=seeds)
def test_bits_do_not_depend_on_threads(seed: int) -> None:
    """L69, with several chunks of rows."""
    n, c = shrunk(700, 7), 100
    y, target = numbers(seed, n, c), labels(seed, n, c)
    results = at_every_count(lambda: (CE(n, c).grad(y, target), CE(n, c).value(y, target)))
    first, value = results[0]
    assert all(out.loss == first.loss and same_bits(out.dy, first.dy) and v == value for out, v in results)
    check_against_float64(y, target)
