"""`check_loss`: the checks that every loss passes, one line for each loss.

    test_mse = check_loss(MSE, judge, matrix_target)
    test_nll = check_loss(NLL, judge, label_target, label_options)

Every check draws sizes, a seed and options, builds the loss, and judges it by its float64 judge, by a law, or by the
table of edge values. A new check here is a check of every loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from tests.support.arrays import LAYOUTS, WRONG_IDS, WRONG_TYPES, numbers, same_bits, snapshot
from tests.support.passes import narrow_ids, refused, wrong_shapes
from tests.support.references import Bounded
from tests.support.sizes import seeds, shrunk, some_rows, widths
from tests.support.threads import at_every_count

Options: TypeAlias = dict[str, Any]
Target: TypeAlias = Callable[[int, int, int, Options], Any]
"""A target for a loss, from a seed, the rows, the columns and the loss's options."""


@dataclass(frozen=True)
class Judged:
    """A loss in float64: its value and gradient with the errors that float32 may have, and what a batch weighs."""

    value: Bounded
    gradient: Bounded
    weight: float


Judge: TypeAlias = Callable[..., Judged]
"""`judge(y, target, **options)`, for y in float64."""


@dataclass(frozen=True)
class LossCase:
    """A loss of drawn sizes and options, and arrays for it."""

    factory: Callable[..., Any]
    judge: Judge
    target_of: Target
    n: int
    c: int
    seed: int
    options: Options

    @cached_property
    def loss(self) -> Any:
        """The loss."""
        return self.factory(self.n, self.c, **self.options)

    @property
    def y(self) -> Any:
        """Outputs of a model."""
        scale = (0.0, 0.1, 1.0, 10.0, 100.0)[self.seed % 5]
        return numbers(self.seed, self.n, self.c, scale=scale)

    @property
    def target(self) -> Any:
        """What they should be."""
        return self.target_of(self.seed + 1, self.n, self.c, self.options)

    def judged(self, y: Any, target: Any) -> Judged:
        """The judge's answer."""
        return self.judge(y.astype(np.float64), target, **self.options)


def matches_float64(case: LossCase) -> None:
    """The loss and every number of the gradient are within the bounds of float32 arithmetic."""
    y, target = case.y, case.target
    expected, out = case.judged(y, target), case.loss.grad(y, target)
    assert expected.value.holds(np.asarray(out.loss))
    assert expected.gradient.holds(out.dy)


def value_is_the_gradients_loss(case: LossCase) -> None:
    """All three ways to ask for the loss give one number, a float; the gradient is an array of the output's type."""
    y, target = case.y, case.target
    out = case.loss.grad(y, target)
    assert isinstance(out.loss, float)
    assert case.loss.value(y, target) == out.loss == case.loss(y, target).loss
    assert type(out.dy) is np.ndarray
    assert out.dy.dtype == np.float32
    assert out.dy.shape == y.shape


def gradient_is_the_derivative(case: LossCase) -> None:
    """L36: along a random direction, by central differences in the float64 loss, which is smooth."""
    y, target = numbers(case.seed, case.n, case.c), case.target
    direction, step = numbers(case.seed + 1, case.n, case.c).astype(np.float64), 1e-5
    up, down = (case.judge(y + sign * step * direction, target, **case.options).value.value for sign in (1, -1))
    along = float((case.loss.grad(y, target).dy.astype(np.float64) * direction).sum())
    assert along == pytest.approx((up - down) / (2 * step), abs=1e-5, rel=1e-5)


def parts_add_by_their_weight(case: LossCase) -> None:
    """L31 for a mean: a batch is the mean of its parts, each by what its rows weigh, where every part weighs."""
    y, target, cut = case.y, case.target, case.n // 2
    parts = (slice(0, cut), slice(cut, case.n))
    judged = [case.judged(y[part], target[part]) for part in parts if len(y[part])]
    total = sum(one.weight for one in judged)
    if len(judged) < 2 or not all(one.weight for one in judged):
        return
    whole, bound, loss = case.loss.grad(y, target), case.judged(y, target).gradient.bound, 0.0
    for part, one in zip(parts, judged, strict=True):
        out = replace(case, n=len(y[part])).loss.grad(y[part], target[part])
        loss += one.weight / total * out.loss
        error = np.abs(whole.dy[part] - one.weight / total * out.dy.astype(np.float64))
        assert np.all(error <= bound[part] + one.weight / total * one.gradient.bound)
    assert loss == pytest.approx(whole.loss, rel=1e-6, abs=1e-7)


def is_pure(case: LossCase) -> None:
    """L33: nothing that is given changes, a second call gives equal bits, in memory of its own."""
    y, target = case.y, case.target
    kept = snapshot((y, target))
    one, two = case.loss.grad(y, target), case.loss.grad(y, target)
    assert same_bits(y, kept[0])
    assert same_bits(target, kept[1])
    assert one.loss == two.loss
    assert same_bits(one.dy, two.dy)
    assert not any(np.shares_memory(one.dy, other) for other in (two.dy, y, target))


def every_layout_gives_equal_bits(case: LossCase) -> None:
    """Every way that numpy can lay out an array is accepted for both; ids of either width."""
    y, target = case.y, case.target
    expected = case.loss.grad(y, target)
    for lay_out in LAYOUTS.values():
        out = case.loss.grad(lay_out(y), lay_out(target) if target.ndim == 2 else np.repeat(target, 3)[::3])
        assert out.loss == expected.loss
        assert same_bits(out.dy, expected.dy)
    assert case.loss.value(y, narrow_ids(target)) == expected.loss


def other_arrays_are_refused(case: LossCase) -> None:
    """An array of another type, rank or size raises the error that names the loss, the argument and what is wanted."""
    y, target, name = case.y, case.target, f"{case.loss}: "
    for call in (case.loss.grad, case.loss.value):
        for argument, array, use in (("y", y, lambda a, f=call: f(a, target)), ("target", target, partial(call, y))):
            must, kind = f"{name}{argument} must be ", "Mat" if array.ndim == 2 else "Ids"
            for wrong in WRONG_TYPES if array.ndim == 2 else WRONG_IDS:
                refused(DtypeError, partial(use, array.astype(wrong)), must)
            for shape in wrong_shapes(array):
                want = f"{must}{kind}[{', '.join(map(str, array.shape))}]"
                refused(ShapeError, partial(use, np.zeros(shape, array.dtype)), want, f"{list(shape)}")
            refused(DtypeError, partial(use, array.tolist()), must, "list")


def labels_out_of_range_are_named(case: LossCase) -> None:
    """The first of them is named, with its place and the range, before anything is computed."""
    y, target, ignored = case.y, case.target, case.options.get("ignore_index")
    if target.ndim == 2:
        return
    place = case.seed % case.n
    for wrong in (-1, case.c, -(2**63), 2**63 - 1):
        if wrong == ignored:
            continue
        target[place:] = wrong
        text = f"{case.loss}: target[{place}] is {wrong}, labels go from 0 to {case.c - 1}"
        for call in (case.loss.grad, case.loss.value):
            refused(IndexRangeError, partial(call, y, target), text)


def an_empty_batch_has_no_mean(case: LossCase) -> None:
    """No rows raise ShapeError."""
    empty = replace(case, n=0)
    for call in (empty.loss.grad, empty.loss.value):
        refused(ShapeError, partial(call, empty.y, empty.target), f"{empty.loss}: the mean over an empty batch")


def impossible_sizes_are_refused(case: LossCase) -> None:
    """So do sizes that no loss can have, when it is built."""
    name = str(case.loss).split("(")[0]
    for sizes in ((-1, 2), (1, 0), (1.0, 2), (1, True), ("1", 2)):
        refused(ShapeError, partial(case.factory, *sizes), f"{name}(")


def bits_do_not_depend_on_threads(case: LossCase) -> None:
    """L69, with several chunks; they are right, too."""
    large = replace(case, n=shrunk(700, 7), c=shrunk(100, case.c))
    if "weight" in case.options:
        large = replace(large, options={**case.options, "weight": [1.0 + j % 3 for j in range(large.c)]})
    y, target = large.y, large.target
    first, *others = at_every_count(lambda: (large.loss.grad(y, target), large.loss.value(y, target)))
    assert all(o.loss == first[0].loss and same_bits(o.dy, first[0].dy) and v == first[1] for o, v in others)
    matches_float64(large)


LOSS_CHECKS: Final[tuple[Callable[[LossCase], None], ...]] = (
    matches_float64,
    value_is_the_gradients_loss,
    gradient_is_the_derivative,
    parts_add_by_their_weight,
    is_pure,
    every_layout_gives_equal_bits,
    other_arrays_are_refused,
    labels_out_of_range_are_named,
    an_empty_batch_has_no_mean,
    impossible_sizes_are_refused,
    bits_do_not_depend_on_threads,
)
FEW: Final = {"bits_do_not_depend_on_threads": 5, "other_arrays_are_refused": 20}


def no_options(c: int, seed: int) -> Options:
    """The usual options."""
    return {}


def matrix_target(seed: int, n: int, c: int, options: Options) -> Any:
    """Numbers."""
    return numbers(seed, n, c)


def label_target(seed: int, n: int, c: int, options: Options) -> Any:
    """Labels, some of them ignored where a label is."""
    generator = np.random.default_rng(seed)
    labels, ignored = generator.integers(0, c, n), options.get("ignore_index")
    return labels if ignored is None else np.where(generator.random(n) < 0.3, ignored, labels)


def label_options(c: int, seed: int) -> Options:
    """Any of an ignored label, in the range or not, and weights of the classes, zeros among them."""
    generator = np.random.default_rng(seed)
    options: Options = {}
    if generator.random() < 0.5:
        options["ignore_index"] = int(generator.choice([-100, -1, 0, c - 1, c, 2**31 - 1]))
    if generator.random() < 0.5:
        weights = np.where(generator.random(c) < 0.2, 0, generator.random(c)).astype(np.float32)
        options["weight"] = weights if generator.random() < 0.5 else weights.tolist()
    return options


def check_loss(
    factory: Callable[..., Any], judge: Judge, target: Target, options: Callable[[int, int], Options] = no_options
) -> Callable[..., None]:
    """A test that runs every check on `factory(n, c, **options)`, for options drawn from the columns and a seed."""
    checks = {check.__name__: check for check in LOSS_CHECKS}
    columns = st.one_of(widths, st.just(shrunk(2500, 6)))

    @pytest.mark.parametrize("name", checks)
    def test(name: str) -> None:
        @settings(max_examples=min(FEW.get(name, 1000), settings.default.max_examples))  # type: ignore[union-attr]
        @given(n=some_rows, c=columns, seed=seeds)
        def on_cases(n: int, c: int, seed: int) -> None:
            checks[name](LossCase(factory, judge, target, n, c, seed, options(c, seed)))

        on_cases()

    return test
