"""`check_operations`: the checks that every operation of the tape passes, one line for each operation.

    test_operation = check_operations(Operation("exp", unary(grad.exp, np.exp)), ...)

An operation draws cases: a function on Vars, the same in float64 numpy, and float32 inputs. Its Jacobian is taken from
the float64 function by central differences, and judges the value, both directions of derivatives, and derivatives of
derivatives, both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes

from bendtorch import grad
from bendtorch.kernels.compile import JIT

EXAMPLES: Final = 15 if JIT else 5
STEP: Final = 1e-6
WIDE_STEP: Final = 1e-4  # of second differences, whose inner differences have an error of 1e-10
CLOSE: Final = 2.0**-17  # of the sum of magnitudes: some 64 roundings
CLOSE_TWICE: Final = 2.0**-10


@dataclass(frozen=True)
class Case:
    """A function on Vars, the same on float64 arrays, and inputs."""

    call: Callable[..., Any]
    exact: Callable[..., Any]
    inputs: tuple[Any, ...]


@dataclass(frozen=True)
class Operation:
    """An operation's name, its cases, and whether its gradient can be differentiated."""

    name: str
    cases: st.SearchStrategy[Case]
    twice: bool = True


def normal(seed: int, shape: Sequence[int]) -> Any:
    """Float32 numbers of the normal distribution."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def positive(seed: int, shape: Sequence[int]) -> Any:
    """Numbers from 1/2 on."""
    return (np.abs(normal(seed, shape)) + 0.5).astype(np.float32)


def signed(seed: int, shape: Sequence[int]) -> Any:
    """Numbers away from 0."""
    x = normal(seed, shape)
    return (x + np.copysign(0.5, x)).astype(np.float32)


def log_softmax(x: Any) -> Any:
    """The logarithms of the probabilities of each row."""
    shifted = x - x.max(-1, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


shapes: Final = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
seeds: Final = st.integers(0, 2**31)


def unary(call: Callable[..., Any], exact: Callable[..., Any], fill: Callable[..., Any] = normal) -> Any:
    """Cases of one input of any shape."""
    return st.builds(lambda shape, seed: Case(call, exact, (fill(seed, shape),)), shapes, seeds)


def binary(call: Callable[..., Any], exact: Callable[..., Any], fill: Callable[..., Any] = normal) -> Any:
    """Cases of two inputs that broadcast."""
    pairs = mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=4, max_dims=3)
    return st.builds(
        lambda pair, seed: Case(
            call, exact, (normal(seed, pair.input_shapes[0]), fill(seed + 1, pair.input_shapes[1]))
        ),
        pairs,
        seeds,
    )


def of_sizes(make: Callable[..., Case], *sizes: st.SearchStrategy[Any]) -> Any:
    """Cases made from drawn sizes and a seed, in this order."""
    return st.builds(lambda drawn, seed: make(*drawn, seed), st.tuples(*sizes), seeds)


def jacobian(exact: Callable[..., Any], inputs: Sequence[Any], step: float = STEP) -> list[Any]:
    """For each input the derivatives of every output by every element, outputs × elements, by central differences."""
    result = []
    for i, x in enumerate(inputs):
        columns = []
        for k in range(x.size):
            ends = []
            for sign in (1, -1):
                moved = np.array(x)
                moved.reshape(-1)[k] += sign * step
                ends.append(np.ravel(exact(*inputs[:i], moved, *inputs[i + 1 :])))
            columns.append((ends[0] - ends[1]) / (2 * step))
        size = np.size(exact(*inputs))
        result.append(np.stack(columns, 1) if columns else np.zeros((size, 0)))
    return result


def wide(inputs: Sequence[Any]) -> list[Any]:
    """The inputs in float64."""
    return [x.astype(np.float64) for x in inputs]


def near(actual: Any, wanted: Any, magnitude: Any, part: float = CLOSE) -> bool:
    """Whether a result is within a part of the magnitudes that it is a sum of, or of the largest result."""
    scale = np.abs(magnitude) + np.max(np.abs(wanted), initial=0.0) + 1e-6
    return bool(np.all(np.abs(np.asarray(actual, np.float64) - wanted) <= part * scale))


def _check_value(case: Case) -> None:
    g = grad.graph()
    y = g.value(case.call(*map(g.input, case.inputs)))
    wanted = np.asarray(case.exact(*wide(case.inputs)))
    assert y.dtype == np.float32
    assert y.shape == wanted.shape
    assert near(y, wanted, np.abs(wanted))


def _check_gradients(case: Case) -> None:
    g = grad.graph()
    xs = [g.input(x) for x in case.inputs]
    y = case.call(*xs)
    ct = normal(7, y.shape)
    grads = g.backward_from(y, ct)
    flat = ct.reshape(-1).astype(np.float64)
    for x, of_x in zip(xs, jacobian(case.exact, wide(case.inputs)), strict=True):
        actual = grads.of(x)
        assert actual.shape == x.shape
        assert near(actual.reshape(-1), flat @ of_x, np.abs(flat) @ np.abs(of_x))


def _check_tangents(case: Case) -> None:
    g = grad.graph()
    xs = [g.input(x) for x in case.inputs]
    y = case.call(*xs)
    directions = [normal(11 + i, x.shape) for i, x in enumerate(xs)]
    actual = g.tangent(xs, directions, y)
    assert actual.shape == y.shape
    pairs = list(zip(jacobian(case.exact, wide(case.inputs)), wide(directions), strict=True))
    wanted = sum(of_x @ d.reshape(-1) for of_x, d in pairs)
    assert near(actual.reshape(-1), wanted, sum(np.abs(of_x) @ np.abs(d.reshape(-1)) for of_x, d in pairs))
    ct = normal(7, y.shape)
    grads = g.backward_from(y, ct)
    there = float(np.sum(ct.astype(np.float64) * actual))
    back = sum(float(np.sum(grads.of(x).astype(np.float64) * d)) for x, d in zip(xs, directions, strict=True))
    size = np.abs(ct).reshape(-1) @ sum(np.abs(of_x) @ np.abs(d.reshape(-1)) for of_x, d in pairs)
    assert abs(there - back) <= CLOSE * (size + 1e-6)


def _check_twice(case: Case) -> None:
    """The derivative of the gradient of ⟨ct, y⟩ along directions, from both ways of taking it."""
    g = grad.graph()
    xs = [g.input(x) for x in case.inputs]
    y = case.call(*xs)
    ct = normal(7, y.shape)
    directions = [normal(11 + i, x.shape) for i, x in enumerate(xs)]
    gradients = g.gradients(y, xs, g.constant(ct))
    wanted = _second(case, ct, directions)
    forward = [g.tangent(xs, directions, gradient) for gradient in gradients]
    inner = [grad.sum(gradient * g.constant(d)) for gradient, d in zip(gradients, directions, strict=True)]
    total = inner[0]
    for part in inner[1:]:
        total = total + part
    backward = g.backward(total)
    for x, along, want in zip(xs, forward, wanted, strict=True):
        scale = max(1.0, *(float(np.max(np.abs(w), initial=0.0)) for w in wanted))
        assert near(along, want, scale, CLOSE_TWICE)
        assert near(backward.of(x), want, scale, CLOSE_TWICE)


def _second(case: Case, ct: Any, directions: Sequence[Any]) -> list[Any]:
    flat = ct.reshape(-1).astype(np.float64)
    ends = []
    for sign in (1, -1):
        moved = [x + sign * WIDE_STEP * d for x, d in zip(wide(case.inputs), wide(directions), strict=True)]
        ends.append([flat @ of_x for of_x in jacobian(case.exact, moved, 1e-5)])
    return [
        ((up - down) / (2 * WIDE_STEP)).reshape(x.shape)
        for up, down, x in zip(ends[0], ends[1], case.inputs, strict=True)
    ]


CHECKS: Final[dict[str, Callable[[Case], None]]] = {
    "value": _check_value,
    "gradients": _check_gradients,
    "tangents": _check_tangents,
    "twice": _check_twice,
}


def check_operations(*operations: Operation) -> Callable[..., None]:
    """A test: every check of every operation."""

    @pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
    @pytest.mark.parametrize("operation", operations, ids=lambda operation: operation.name)
    def test(operation: Operation, check: Callable[[Case], None]) -> None:
        if check is _check_twice and not operation.twice:
            pytest.skip("its gradient has no derivative")

        @settings(max_examples=EXAMPLES)
        @given(case=operation.cases)
        def checked(case: Case) -> None:
            with np.errstate(all="ignore"):
                check(case)

        checked()

    return test


def check_case(case: Case) -> None:
    """Every check of one case."""
    with np.errstate(all="ignore"):
        for check in CHECKS.values():
            check(case)
