"""checkpoint: equal bits, both directions, derivatives of derivatives, and memory."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest

from bendtorch import Key, grad
from bendtorch.errors import ConfigError, DtypeError
from bendtorch.kernels import memory
from tests.support.grad import normal


def _block(x: grad.Var, w: grad.Var, v: grad.Var, key: Key) -> grad.Var:
    hidden = grad.gelu(x @ w + 0.1)
    return x + grad.dropout(hidden, key, 0.2) @ v


def _program(key: Key, last: bool) -> Any:
    """A block as a function that gives its value, or the graph with the value last."""

    def program(h: grad.Graph, xs: list[grad.Var]) -> grad.Var | grad.Graph:
        y = _block(xs[0], xs[1], xs[2], key)
        return h if last else y

    return program


def _model(g: grad.Graph, x: grad.Var, weights: list[grad.Var], checkpointed: bool, last: bool = False) -> grad.Var:
    for i in range(0, len(weights), 2):
        key = Key(i)
        if checkpointed:
            x = grad.checkpoint([x, weights[i], weights[i + 1]], _program(key, last))
        else:
            x = _block(x, weights[i], weights[i + 1], key)
    return grad.mean(grad.square(x))


def _built(rows: int, width: int, depth: int) -> tuple[grad.Graph, grad.Var, list[grad.Var]]:
    g = grad.graph()
    weights = [g.input(normal(i, (width, width)) * np.float32(0.1)) for i in range(2 * depth)]
    return g, g.input(normal(99, (rows, width))), weights


def test_equal_bits() -> None:
    results = []
    for options in ((False, False), (True, False), (True, True)):
        g, x, weights = _built(9, 7, 3)
        loss = _model(g, x, weights, *options)
        grads = g.backward(loss)
        results.append([g.value(loss), *(grads.of(v) for v in (x, *weights))])
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other, strict=True))


def test_forward_mode_and_second_derivatives_go_through_it() -> None:
    results = []
    for checkpointed in (False, True):
        g, x, weights = _built(4, 3, 2)
        loss = _model(g, x, weights, checkpointed)
        direction = normal(5, (4, 3))
        (gradient,) = g.gradients(loss, [x])
        results.append([g.tangent([x], [direction], loss), g.tangent([x], [direction], gradient)])
    assert all(np.allclose(a, b, rtol=1e-5, atol=1e-7) for a, b in zip(*results, strict=True))


def test_a_constant_input_has_no_gradient() -> None:
    g = grad.graph()
    x, c = g.input(normal(0, (3,))), g.constant(normal(1, (3,)))
    y = grad.checkpoint([x, c], lambda h, xs: xs[0] * xs[1])
    assert np.array_equal(g.backward(grad.sum(y)).of(x), normal(1, (3,)))
    assert not grad.checkpoint([c], lambda h, xs: xs[0] * 2.0).active


def test_it_may_make_constants_and_be_nested() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))

    def inner(h: grad.Graph, xs: list[grad.Var]) -> grad.Var:
        return grad.square(xs[0]) + h.constant(np.ones(3, np.float32))

    y = grad.checkpoint([x], lambda h, xs: grad.checkpoint(xs, inner) * xs[0])
    assert np.allclose(g.backward(grad.sum(y)).of(x), 3 * normal(0, (3,)) ** 2 + 1, rtol=1e-6)


def test_it_may_turn_on_autocast_for_itself() -> None:
    """Which ends with it, and leaves the last value the last."""
    g = grad.graph()
    x = g.input(normal(0, (3, 3)))

    def program(h: grad.Graph, xs: list[grad.Var]) -> grad.Graph:
        h.autocast(grad.F16, emulate=True)
        _ = grad.exp(xs[0] @ xs[0])
        return h

    y = grad.checkpoint([x], program)
    low = g.value(y)
    assert np.array_equal(low, low.astype(np.float16).astype(np.float32))
    assert not np.array_equal(low, g.value(grad.exp(x @ x)))
    assert g.precision is None
    assert g.watchers == ()


def test_it_may_differentiate_inside() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    y = grad.checkpoint([x], lambda h, xs: h.gradients(grad.sum(grad.square(xs[0]) * xs[0]), [xs[0]])[0] * xs[0])
    assert np.allclose(g.value(y), 3 * normal(0, (3,)) ** 3, rtol=1e-5)
    assert np.allclose(g.backward(grad.sum(y)).of(x), 9 * normal(0, (3,)) ** 2, rtol=1e-5)


def _peak(checkpointed: bool) -> int:
    """What a pass forward and backward takes beyond its inputs, in bytes."""
    g, x, weights = _built(2048, 32, 8)
    memory.release()
    gc.collect()
    tracemalloc.start()
    try:
        loss = _model(g, x, weights, checkpointed)
        grads = g.backward(loss)
        for v in weights:
            grads.of(v)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_eight_blocks_take_less_than_half_of_the_memory() -> None:
    assert _peak(True) < _peak(False) / 2


def test_refusals() -> None:
    g = grad.graph()
    x = g.input(normal(0, (3,)))
    wrong: list[Any] = [lambda h, xs: 1.0, lambda h, xs: h, lambda h, xs: x, lambda h, xs: None]
    for f in wrong:
        with pytest.raises(ConfigError, match=r"^checkpoint: the function must give a Var of the graph"):
            grad.checkpoint([x], f)
    with pytest.raises(ConfigError, match=r"^checkpoint: expected at least one input"):
        grad.checkpoint([], lambda h, xs: x)
    with pytest.raises(ConfigError, match=r"^mul: Var\(\[3\]\) belongs to another graph"):
        grad.checkpoint([x], lambda h, xs: xs[0] * x)
    call: Any = grad.checkpoint
    with pytest.raises(DtypeError, match=r"^checkpoint: inputs must be a list of Vars, got Var; .* it is \[v\]"):
        call(x, lambda h, xs: xs[0])
    with pytest.raises(ConfigError, match=r"^checkpoint: f must be a function f\(graph, xs\) that gives a Var, got 3"):
        call([x], 3)
