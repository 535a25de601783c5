"""Layers on a tape, and layers from functions on Vars; whole models both ways."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bendtorch import CrossEntropy, Embedding, Key, Linear, PaddedAttention, ReLU, grad
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.laws import check
from bendtorch.layer import Leaf, Params, describe, no_params, uniform_init
from bendtorch.models import Llama, LlamaUntied, init_normal
from tests.support.grad import normal
from tests.support.tape_models import linear, llama
from tests.support.transformer import POSITIONS, VOCABULARY, WIDTH, next_token, transformer


def _parameters() -> Any:
    leaves = [Leaf("weight", (3, 2), uniform_init(0.5)), Leaf("bias", (1, 3), uniform_init(0.5))]
    return describe(leaves, build=lambda weight, bias: (weight, bias), split=lambda p: p)


def _affine(n: int, f: Any = None) -> Any:
    """Linear(n, 2, 3) with a tanh behind it, from a function."""
    make: Any = grad.layer_of
    function = f or (lambda x, weight, bias: grad.tanh(linear(x, weight, bias)))
    return make(function, n, 2, 3, _parameters(), name="Affine")


def test_a_layer_from_a_function_obeys_the_laws_of_layers() -> None:
    check(_affine)


def test_its_passes_are_those_of_the_layers() -> None:
    made: Any = Linear
    layer = made(5, 2, 3)
    ours = _affine(5, linear)
    p, x, dy = (normal(0, (3, 2)), normal(1, (1, 3))), normal(2, (5, 2)), normal(3, (5, 3))
    theirs = layer.zeros()
    layer.load(theirs, np.concatenate([a.reshape(-1) for a in p]), 0)
    one, two = ours.fwd(p, x), layer.fwd(theirs, x)
    assert np.allclose(one.y, two.y, atol=1e-6)
    back, wanted = ours.bwd(p, one.s, dy, ours.zeros()), layer.bwd(theirs, two.s, dy, layer.zeros())
    assert np.allclose(back.dx, wanted.dx, atol=1e-6)
    assert np.allclose(ours.dump(back.g), layer.dump(wanted.g), atol=1e-6)
    assert str(ours) == "Affine(5, 2, 3)"


def test_it_composes_with_other_layers() -> None:
    made: Any = ReLU
    check(lambda n: _affine(n) >> made(n, 3))


def test_a_function_that_gives_something_else_is_refused() -> None:
    p, x = (normal(0, (3, 2)), normal(1, (1, 3))), normal(2, (5, 2))
    with pytest.raises(ShapeError, match=r"^Affine\(5, 2, 3\): what the function gives must be Mat\[5, 3\]"):
        _affine(5, lambda x, weight, bias: x).fwd(p, x)
    with pytest.raises(DtypeError, match=r"^Affine\(5, 2, 3\): the function must give a Var, got float"):
        _affine(5, lambda x, weight, bias: 1.0).fwd(p, x)
    with pytest.raises(ShapeError, match=r"^Affine\(5, 2, 3\): x must be Mat\[5, 2\]"):
        _affine(5).fwd(p, normal(2, (5, 3)))


def test_what_can_have_no_tape_is_refused() -> None:
    make: Any = grad.layer_of
    with pytest.raises(ShapeError, match=r"^layer_of\(5, 0, 3\): "):
        make(grad.exp, 5, 0, 3, no_params())
    bare: Params[Any] = no_params()
    object.__setattr__(bare, "matrices", None)
    with pytest.raises(ConfigError, match=r"^layer_of\(5, 2, 3\): its parameters must be described as matrices"):
        make(grad.exp, 5, 2, 3, bare)
    with pytest.raises(ConfigError, match=r"^layer_of\(5, 2, 3\): params must be a description of .*, got None"):
        make(grad.exp, 5, 2, 3, None)
    with pytest.raises(ConfigError, match=r"^layer_of\(5, 2, 3\): f must be a function f\(x, \*params\) on Vars, got"):
        make(None, 5, 2, 3, no_params())


def test_a_recorded_layer_is_one_operation_among_others() -> None:
    made: Any = Linear
    layer = made(4, 3, 2)
    p, g = layer.init(Key(0)), grad.graph()
    block = grad.record(layer, g, p)
    x = g.input(normal(0, (4, 3)))
    loss = grad.mean(grad.square(block(grad.tanh(x))))
    grads = g.backward(loss)
    h = grad.graph()
    weight, bias = (h.input(m) for m in layer.matrices(p))
    v = h.input(normal(0, (4, 3)))
    wanted = grad.mean(grad.square(linear(grad.tanh(v), weight, bias)))
    exact = h.backward(wanted)
    assert np.allclose(g.value(loss), h.value(wanted), rtol=1e-6)
    assert np.allclose(grads.of(x), exact.of(v), atol=1e-6)
    for ours, theirs in zip(layer.matrices(block.gradient(grads)), (weight, bias), strict=True):
        assert np.allclose(ours, exact.of(theirs), atol=1e-6)


def test_a_layer_called_twice_has_the_sum_of_its_gradients() -> None:
    made: Any = Linear
    layer = made(4, 3, 3)
    p, g, dy = layer.init(Key(0)), grad.graph(), normal(1, (4, 3))
    block = grad.record(layer, g, p)
    x = g.input(normal(0, (4, 3)))
    inner = block(x)
    gradient = block.gradient(g.backward_from(block(inner), dy))
    two = layer.fwd(p, layer.fwd(p, g.value(x)).y)
    back = layer.bwd(p, two.s, dy, layer.zeros())
    wanted = layer.bwd(p, layer.fwd(p, g.value(x)).s, back.dx, back.g).g
    assert np.allclose(layer.dump(gradient), layer.dump(wanted), rtol=1e-5)


def test_ids_among_the_inputs_stay_ids() -> None:
    made: Any = PaddedAttention
    layer, g = made(2, 3, 1, 1, 2), grad.graph()
    one, two, three = (normal(i, (6, 2)) for i in range(3))
    q, k, v = g.input(one), g.input(two), g.input(three)
    lengths = np.array([3, 1])
    y = grad.record(layer, g, ())(((q, (k, v)), lengths))
    assert np.array_equal(g.value(y), layer.fwd((), ((one, (two, three)), lengths)).y)
    assert g.backward_from(y, normal(3, (6, 2))).of(k).shape == (6, 2)


def test_only_the_backward_pass_of_what_is_recorded_is_known() -> None:
    made: Any = ReLU
    g = grad.graph()
    x = g.input(normal(0, (2, 3)))
    y = grad.record(made(2, 3), g, ())(x)
    with pytest.raises(ConfigError, match=r"^record: it has a value and a backward pass only"):
        g.tangent([x], [normal(1, (2, 3))], y)
    with pytest.raises(ConfigError, match=r"^record: it has a value and a backward pass only"):
        g.gradients(grad.sum(y), [x])


def test_what_cannot_be_recorded_is_refused() -> None:
    made: Any = Linear
    g = grad.graph()
    with pytest.raises(ConfigError, match=r"^record: expected a layer, got int"):
        grad.record(3, g, ())  # type: ignore[arg-type]
    layer = made(2, 3, 3)
    with pytest.raises(ConfigError, match=r"^record: tape must be a graph, such as graph\(\), got None"):
        grad.record(layer, None, layer.zeros())  # type: ignore[arg-type]
    block = grad.record(layer, g, layer.init(Key(0)))
    with pytest.raises(DtypeError, match=r"^record: expected a Var, got tuple|^record: expected a Var, got ndarray"):
        block(normal(0, (2, 3)))
    with pytest.raises(ShapeError, match=r"^Linear\(2, 3, 3\): x must be Mat\[2, 3\]"):
        block(g.input(normal(0, (3, 3))))


def test_a_whole_transformer_is_recorded_with_its_bits() -> None:
    """With dropout, whose counters are no weights, tied embeddings and a loss on the tape."""
    n = 3 * POSITIONS
    layer, generator = transformer(n), np.random.default_rng(0)
    p = layer.init(Key(0))
    ids, target = generator.integers(0, VOCABULARY, n), generator.integers(0, VOCABULARY, n)
    g = grad.graph()
    block = grad.record(layer, g, p)
    loss = grad.cross_entropy(block(ids), target)
    done = layer.fwd(p, ids)
    made = next_token(n)(done.y, target)
    wanted = layer.bwd(p, done.s, made.dy, layer.zeros()).g
    assert g.value(loss) == np.float32(made.loss)
    assert np.array_equal(layer.dump(block.gradient(g.backward(loss))), layer.dump(wanted))
    assert WIDTH == 8


SIZES = (2, 5, 11, 12, 2, 2, 3, 16, 2)  # b, t, v, d, kv, g, half, f, depth


@pytest.mark.parametrize("make", [Llama, LlamaUntied])
def test_a_tiny_llama_on_the_tape_has_the_loss_and_gradients_of_the_layers(make: Any) -> None:
    layer, generator = make(*SIZES), np.random.default_rng(0)
    (b, t, v, _, kv, group, half, _, depth), n = SIZES, SIZES[0] * SIZES[1]
    p = init_normal(layer, Key(0), 0.25)
    ids, target = generator.integers(0, v, n), generator.integers(0, v, n)
    loss_of: Any = CrossEntropy
    done = layer.fwd(p, ids)
    made = loss_of(n, v)(done.y, target)
    wanted = layer.matrices(layer.bwd(p, done.s, made.dy, layer.zeros()).g)
    g = grad.graph()
    leaves = [g.input(m) for m in layer.matrices(p)]
    logits = llama(ids.reshape(b, t), leaves, kv, group, half, depth)
    loss = grad.cross_entropy(logits, target)
    grads = g.backward(loss)
    assert np.allclose(g.value(logits), done.y, atol=1e-5)
    assert math.isclose(float(g.value(loss)), made.loss, rel_tol=1e-6)
    for leaf, of_layer in zip(leaves, wanted, strict=True):
        assert np.abs(grads.of(leaf) - of_layer).max() <= 2e-6 * max(1, np.abs(of_layer).max())


def test_an_embedding_has_no_inputs_on_the_tape() -> None:
    made: Any = Embedding
    layer, g = made(3, 5, 2), grad.graph()
    block = grad.record(layer, g, layer.init(Key(0)))
    y = block(np.array([4, 0, 4]))
    gradient = block.gradient(g.backward_from(y, np.ones((3, 2), np.float32)))
    assert layer.dump(gradient).reshape(5, 2).tolist() == [[1, 1], [0, 0], [0, 0], [0, 0], [2, 2]]
