"""Sums, means, maxima and broadcasting: every pattern of axes, ties, long sums, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.errors import DtypeError, ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, shapes, unary

pytestmark = pytest.mark.filterwarnings("ignore:Mean of empty slice")


@st.composite
def _smaller(draw: st.DrawFn, least: int = 0) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape, and one that it reduces to."""
    shape = tuple(draw(st.lists(st.integers(least, 4), max_size=4)))
    dropped = draw(st.integers(0, len(shape)))
    return shape, tuple(size if draw(st.booleans()) else 1 for size in shape[dropped:])


def _reduced(x: Any, shape: tuple[int, ...], reduce: Any) -> Any:
    padded = (1,) * (x.ndim - len(shape)) + shape
    axes = tuple(i for i, size in enumerate(padded) if size == 1 and x.shape[i] != 1)
    return reduce(x, axis=axes, keepdims=True).reshape(shape)


def _sums(pair: Any, seed: int) -> Case:
    x, shape = normal(seed, pair[0]), pair[1]
    return Case(lambda v: grad.sum_to(v, shape), lambda v: _reduced(v, shape, np.sum), (x,))


def _maxima(pair: Any, seed: int) -> Case:
    x, shape = normal(seed, pair[0]), pair[1]
    return Case(lambda v: grad.max_to(v, shape), lambda v: _reduced(v, shape, np.max), (x,))


def _broadcasts(pair: Any, seed: int) -> Case:
    x, shape = normal(seed, pair[1]), pair[0]
    return Case(lambda v: grad.broadcast_to(v, shape), lambda v: np.broadcast_to(v, shape), (x,))


seeds = st.integers(0, 2**31)

test_operation = check_operations(
    Operation("sum", unary(grad.sum, np.sum)),
    Operation(
        "mean",
        st.builds(
            lambda s, seed: Case(grad.mean, np.mean, (normal(seed, s),)), shapes.filter(lambda s: 0 not in s), seeds
        ),
    ),
    Operation("sum_to", st.builds(_sums, _smaller(), seeds)),
    Operation("max_to", st.builds(_maxima, _smaller(1), seeds)),
    Operation("broadcast_to", st.builds(_broadcasts, _smaller(), seeds)),
    Operation("sum of squares", unary(lambda x: grad.sum(grad.square(x) * x), lambda x: np.sum(x**3))),
)


def test_equal_largest_numbers_share_evenly() -> None:
    g = grad.graph()
    x = g.input(np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], np.float32))
    y = grad.max_to(x, (2, 1))
    assert g.value(y).tolist() == [[3.0], [2.0]]
    gradient = g.backward_from(y, np.array([[1.0], [3.0]], np.float32)).of(x)
    assert gradient.tolist() == [[0.0, 0.5, 0.5], [1.0, 1.0, 1.0]]
    direction = np.array([[9.0, 1.0, 2.0], [3.0, 4.0, 5.0]], np.float32)
    assert g.tangent([x], [direction], y).tolist() == [[1.5], [4.0]]


def test_sums_are_taken_in_float64() -> None:
    """A float32 total of this would stay at 2^24."""
    g = grad.graph()
    x = g.input(np.ones((1 << 24) + 8, np.float32))
    assert g.value(grad.sum(x)) == (1 << 24) + 8
    assert g.value(grad.mean(x)) == 1


def test_nan_is_the_largest() -> None:
    g = grad.graph()
    x = g.input(np.array([[1.0, np.nan], [-np.inf, -np.inf]], np.float32))
    largest = g.value(grad.max_to(x, (2, 1)))
    assert np.isnan(largest[0, 0])
    assert largest[1, 0] == -np.inf


def test_sums_of_nothing_are_zero_and_other_reductions_are_refused() -> None:
    g = grad.graph()
    x = g.input(np.zeros((3, 0), np.float32))
    assert g.value(grad.sum(x)) == 0
    assert g.value(grad.sum_to(x, (3, 1))).tolist() == [[0.0]] * 3
    with pytest.raises(ShapeError, match=r"^mean: the mean over no elements is not defined, got the shape \[3, 0\]"):
        grad.mean(x)
    with pytest.raises(ShapeError, match=r"^max_to: no number is the largest of none"):
        grad.max_to(x, (3, 1))
    assert g.value(grad.max_to(g.input(np.zeros((0, 3), np.float32)), (0, 1))).shape == (0, 1)


def test_shapes_that_do_not_reduce_are_refused() -> None:
    g = grad.graph()
    x = g.input(normal(0, (2, 3)))
    for call in (grad.sum_to, grad.max_to):
        for shape in ((2, 2), (3, 1), (1, 2, 3), (6,)):
            with pytest.raises(ShapeError, match=rf"^{call.__name__}: the shape \[2, 3\] does not reduce to"):
                call(x, shape)
        with pytest.raises(ShapeError, match="sizes must be at least 0"):
            call(x, (-1,))
        with pytest.raises(DtypeError, match="a shape is a tuple of ints"):
            call(x, (1.0,))  # type: ignore[arg-type]
    others: list[tuple[int, ...]] = [(2, 2), (4,), (3,), (2, 3, 1), (0, 3), ()]
    for other in others:
        with pytest.raises(ShapeError, match=r"^broadcast_to: the shape \[2, 3\] does not broadcast to "):
            grad.broadcast_to(x, other)
