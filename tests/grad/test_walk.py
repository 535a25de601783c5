"""The walks over a tape, on random programs: one value used often, shapes that broadcast; which values are visited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.grad.lazy import leaf
from bendtorch.grad.tape import Tape, array_of
from bendtorch.grad.walk import pull, push
from tests.support.grad import EXAMPLES, Case, check_case, normal, seeds

SHAPES: Final = ((), (3,), (2, 1), (2, 3))
UNARY: Final[tuple[tuple[Callable[..., Any], Callable[..., Any]], ...]] = (
    (grad.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    (grad.neg, np.negative),
    (grad.square, np.square),
    (lambda x: grad.sum_to(x, ()), np.sum),
    (lambda x: grad.reshape(x, (*x.shape, 1)), lambda x: x.reshape(*x.shape, 1)),
)
BINARY: Final[tuple[tuple[Callable[..., Any], Callable[..., Any]], ...]] = (
    (grad.add, np.add),
    (grad.sub, np.subtract),
    (grad.mul, np.multiply),
    (lambda x, y: x / (grad.square(y) + 1.0), lambda x, y: x / (y * y + 1)),
)
LARGEST: Final = 200


def _program(steps: list[tuple[int, int, int]]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What the steps compute, on Vars and on arrays: each takes one or two of the values before it."""

    def run(which: int, xs: tuple[Any, ...], squash: Callable[..., Any]) -> Any:
        values = list(xs)
        for kind, i, j in steps:
            a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
            step = (*UNARY, *BINARY)[kind][which]
            try:
                result = squash(step(a) if kind < len(UNARY) else step(a, b))
            except ValueError:  # ShapeError is one: shapes that do not broadcast are left out, by both alike
                continue
            if np.prod(result.shape) <= LARGEST and len(result.shape) <= 4:
                values.append(result)
        return values[-1]

    return (
        lambda *xs: run(0, xs, lambda v: v / (grad.square(v) + 1.0)),
        lambda *xs: run(1, xs, lambda v: v / (v * v + 1)),
    )


steps = st.lists(
    st.tuples(st.integers(0, len(UNARY) + len(BINARY) - 1), st.integers(0, 5), st.integers(0, 5)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=2 * EXAMPLES)
@given(steps, st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3), seeds)
def test_random_programs_have_the_derivatives_of_float64(
    steps: list[tuple[int, int, int]], inputs: list[tuple[int, ...]], seed: int
) -> None:
    call, exact = _program(steps)
    check_case(Case(call, exact, tuple(normal(seed + i, shape) for i, shape in enumerate(inputs))))


def test_a_value_used_often_has_the_sum_of_its_gradients() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    y = grad.exp(x)
    total = y
    for _ in range(9):
        total = total + y
    assert np.allclose(g.backward(grad.sum(total)).of(x), 10 * np.exp(normal(0, (3,))), rtol=1e-6)


def test_values_below_a_number_are_not_visited() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    y = grad.exp(x)
    z = grad.sum(y * y)
    seed = Tape(records=False).hold(leaf(np.ones((), np.float32)))
    found = pull(z, seed, y.id, [y.id])
    assert y.id in found
    assert x.id in pull(z, seed)
    assert x.id not in pull(z, seed, y.id + 1)


def test_gradients_in_between_are_let_go_unless_they_are_kept() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    y = grad.exp(x)
    z = grad.sum(y)
    seed = Tape(records=False).hold(leaf(np.ones((), np.float32)))
    assert set(pull(z, seed)) == {x.id}
    assert set(pull(z, seed, kept=[y.id, z.id])) == {x.id, y.id, z.id}


def test_a_derivative_that_is_zero_is_none() -> None:
    g = grad.graph()
    x, other = g.input(normal(0, (3,))), g.input(normal(1, (3,)))
    tape = Tape(records=False)
    assert push(grad.exp(x), {other.id: tape.hold(leaf(normal(2, (3,))))}, tape) is None


def test_a_direction_replaces_what_its_value_was_computed_from() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    y = grad.exp(x)
    tape = Tape(records=False)
    one, two = (tape.hold(leaf(normal(seed, (3,)))) for seed in (1, 2))
    moved: Any = push(y * 2.0, {x.id: one, y.id: two}, tape)
    assert np.array_equal(array_of(moved), 2 * normal(2, (3,)))


def test_an_input_given_twice_to_a_fused_operation() -> None:
    """Attention of x with itself: its definition is walked where the gradient is recorded."""
    x = normal(0, (1, 4, 3))
    check_case(
        Case(
            lambda v: grad.attention(v, v, v),
            lambda v: _softmax(v @ np.swapaxes(v, 1, 2) / np.sqrt(3)) @ v,
            (x,),
        )
    )


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
