"""Normalisation of the last axis: beside float64 and beside the layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import Affine, LayerNorm, RMSNorm, grad
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, of_sizes

leads = st.lists(st.integers(0, 3), max_size=2)
widths = st.integers(2, 5)
EPS = 1e-2


def _layer(x: Any, w: Any, b: Any) -> Any:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + EPS) * w + b


def _root(x: Any, w: Any) -> Any:
    return x / np.sqrt(np.mean(x * x, -1, keepdims=True) + EPS) * w


def _layer_norm(lead: list[int], c: int, seed: int) -> Case:
    inputs = (normal(seed, (*lead, c)), normal(seed + 1, (c,)), normal(seed + 2, (c,)))
    return Case(lambda x, w, b: grad.layer_norm(x, w, b, EPS), _layer, inputs)


def _rms_norm(lead: list[int], c: int, seed: int) -> Case:
    return Case(lambda x, w: grad.rms_norm(x, w, EPS), _root, (normal(seed, (*lead, c)), normal(seed + 1, (c,))))


def _shared(lead: list[int], c: int, seed: int) -> Case:
    """A gain that is the bias too: its gradients add up."""
    inputs = (normal(seed, (*lead, c)), normal(seed + 1, (c,)))
    return Case(lambda x, w: grad.layer_norm(x, w, w, EPS), lambda x, w: _layer(x, w, w), inputs)


test_operation = check_operations(
    Operation("layer_norm", of_sizes(_layer_norm, leads, widths)),
    Operation("rms_norm", of_sizes(_rms_norm, leads, widths)),
    Operation("one vector for both", of_sizes(_shared, leads, widths)),
)


def test_the_layers_have_the_same_bits() -> None:
    x, w, b, dy = normal(0, (5, 7)), normal(1, (1, 7)), normal(2, (1, 7)), normal(3, (5, 7))
    g = grad.graph()
    v, weight, bias = g.input(x), g.input(w[0]), g.input(b[0])
    affine, of_layer = Affine(w, b), LayerNorm(5, 7)
    done = of_layer.fwd(affine, x)
    back = of_layer.bwd(affine, done.s, dy, of_layer.zeros())
    y = grad.layer_norm(v, weight, bias)
    grads = g.backward_from(y, dy)
    assert np.array_equal(g.value(y), done.y)
    assert np.array_equal(grads.of(v), back.dx)
    assert np.array_equal(grads.of(weight), back.g.weight[0])
    assert np.array_equal(grads.of(bias), back.g.bias[0])
    root = RMSNorm(5, 7)
    first = root.fwd(w, x)
    second = root.bwd(w, first.s, dy, root.zeros())
    y = grad.rms_norm(v, weight)
    assert np.array_equal(g.value(y), first.y)
    assert np.array_equal(g.backward_from(y, dy).of(v), second.dx)


def test_a_constant_row_is_finite() -> None:
    g = grad.graph()
    x, w = g.input(np.full((2, 3), 7.0, np.float32)), g.input(np.ones(3, np.float32))
    y = grad.layer_norm(x, w, w)
    assert g.value(y).tolist() == [[1.0] * 3] * 2
    assert np.all(np.isfinite(g.backward_from(y, normal(0, (2, 3))).of(x)))


def test_refusals() -> None:
    g = grad.graph()
    x, w = g.input(normal(0, (2, 3))), g.input(normal(1, (3,)))
    with pytest.raises(
        ShapeError, match=r"^layer_norm: bias must have the shape \[3\], the last axis of \[2, 3\], got \[1, 3\]"
    ):
        grad.layer_norm(x, w, g.input(normal(1, (1, 3))))
    with pytest.raises(ShapeError, match=r"^rms_norm: the last axis must have at least one element"):
        grad.rms_norm(g.input(normal(0, (2, 0))), g.input(normal(0, (0,))))
    with pytest.raises(ShapeError, match=r"^rms_norm: x must have at least one axis"):
        grad.rms_norm(g.input(np.array(1.0, np.float32)), w)
    with pytest.raises(ConfigError, match=r"^rms_norm: eps is added to a mean of squares"):
        grad.rms_norm(x, w, -1.0)
    with pytest.raises(DtypeError, match=r"^layer_norm: expected a Var, got ndarray"):
        grad.layer_norm(x, w, normal(0, (3,)))
