"""Values in other shapes: every axis, also counted from the end; bits are kept; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.errors import DtypeError, ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, seeds, shapes

some_axes = shapes.filter(bool)


def _reshape(shape: Any, seed: int) -> Case:
    other = (*reversed(shape), 1)
    return Case(lambda x: grad.reshape(x, other), lambda x: x.reshape(other), (normal(seed, shape),))


def _transpose(shape: Any, seed: int) -> Case:
    return Case(grad.transpose, lambda x: np.swapaxes(x, -1, -2), (normal(seed, shape),))


def _permute(shape: Any, seed: int) -> Case:
    axes = np.random.default_rng(seed).permutation(len(shape)).tolist()
    named = [axis - len(shape) if axis % 2 else axis for axis in axes]
    return Case(lambda x: grad.permute(x, named), lambda x: x.transpose(axes), (normal(seed, shape),))


def _slice(shape: Any, seed: int) -> Case:
    generator = np.random.default_rng(seed)
    axis = int(generator.integers(-len(shape), len(shape)))
    start, stop = sorted(int(k) for k in generator.integers(0, shape[axis] + 1, 2))
    places: list[Any] = [np.s_[:]] * len(shape)
    places[axis] = np.s_[start:stop]
    return Case(lambda x: grad.slice(x, axis, start, stop), lambda x: x[tuple(places)], (normal(seed, shape),))


def _concat(shape: Any, seed: int) -> Case:
    generator = np.random.default_rng(seed)
    axis = int(generator.integers(-len(shape), len(shape)))
    inputs = []
    for i in range(int(generator.integers(1, 4))):
        own = list(shape)
        own[axis] = int(generator.integers(0, 4))
        inputs.append(normal(seed + i, own))
    return Case(lambda *xs: grad.concat(xs, axis), lambda *xs: np.concatenate(xs, axis), tuple(inputs))


test_operation = check_operations(
    Operation("reshape", st.builds(_reshape, shapes, seeds)),
    Operation("transpose", st.builds(_transpose, shapes.filter(lambda shape: len(shape) > 1), seeds)),
    Operation("permute", st.builds(_permute, shapes, seeds)),
    Operation("slice", st.builds(_slice, some_axes, seeds)),
    Operation("concat", st.builds(_concat, some_axes, seeds)),
    Operation(
        "parts of a square",
        st.builds(
            lambda n, seed: Case(
                lambda x: grad.concat([grad.slice(grad.square(x), 0, 0, 1), grad.transpose(x)], 0),
                lambda x: np.concatenate([x[:1] ** 2, x.T]),
                (normal(seed, (n, n)),),
            ),
            st.integers(1, 4),
            seeds,
        ),
    ),
)


def test_the_same_value_several_times_in_a_concatenation() -> None:
    g = grad.graph()
    x = g.input(normal(0, (2, 2)))
    y = grad.concat([x, x, x], 0)
    ct = normal(1, (6, 2))
    assert np.allclose(g.backward_from(y, ct).of(x), ct[:2] + ct[2:4] + ct[4:])


def test_refusals() -> None:
    g = grad.graph()
    x = g.input(normal(0, (2, 3)))
    with pytest.raises(ShapeError, match=r"^reshape: the shape \[2, 3\] has 6 elements, \[4\] has 4"):
        grad.reshape(x, (4,))
    with pytest.raises(ShapeError, match=r"^reshape: sizes must be at least 0"):
        grad.reshape(x, (3, -1))
    with pytest.raises(ShapeError, match=r"^transpose: x must have at least two axes, got the shape \[3\]"):
        grad.transpose(g.input(normal(0, (3,))))
    with pytest.raises(ShapeError, match=r"^permute: axes must name each of 2 axes once, got \[0, 0\]"):
        grad.permute(x, (0, 0))
    with pytest.raises(ShapeError, match=r"^permute: axis 2 of an array of 2 axes; they go from -2 to 1"):
        grad.permute(x, (0, 2))
    with pytest.raises(ShapeError, match=r"^slice: expected 0 <= start <= stop <= 3 for axis -1 .*got 1 and 4"):
        grad.slice(x, -1, 1, 4)
    with pytest.raises(ShapeError, match=r"^slice: expected"):
        grad.slice(x, 0, -1, 1)
    with pytest.raises(DtypeError, match=r"^slice: start must be an int, got 0.5"):
        grad.slice(x, 0, 0.5, 1)  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=r"^slice: axis must be an int, got None"):
        grad.slice(x, None, 0, 1)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"^concat: expected at least one value"):
        grad.concat([], 0)
    with pytest.raises(ShapeError, match=r"^concat: .*got the shapes \[2, 3\] and \[3, 3\]"):
        grad.concat([x, g.input(normal(0, (3, 3)))], 1)
    wrong: Any = grad  # with what the types refuse already
    with pytest.raises(DtypeError, match=r"^permute: axes must be a tuple of ints, one for each axis of x, got 0"):
        wrong.permute(x, 0)
    with pytest.raises(DtypeError, match=r"^concat: xs must be a list of Vars, got Var; for one Var v it is \[v\]"):
        wrong.concat(x, 0)


def test_values_that_come_one_by_one() -> None:
    g = grad.graph()
    x = g.input(normal(0, (2, 3)))
    assert np.array_equal(g.value(grad.concat((v for v in (x, x)), 0)), np.concatenate([g.value(x)] * 2))
