"""The row-wise layers: L53 (softmax), L55 (LayerNorm), L56 (RMSNorm).

Inputs are whole numbers where they are shifted or scaled, so that the shifted and scaled ones are exact.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import LayerNorm, LogSoftmax, RMSNorm, Softmax
from laws.cases import law, normal, parameters, same, seeds

SOFTMAX: Final[tuple[Any, ...]] = (Softmax, LogSoftmax)
LAYER_NORM: Any = LayerNorm
RMS_NORM: Any = RMSNorm

some_rows = st.sampled_from([1, 2, 7, 40])
some_widths = st.sampled_from([2, 3, 17, 64, 600])
powers = st.sampled_from([2.0**-20, 0.5, 4.0, 2.0**30])


def whole(n: int, c: int, seed: int, most: int = 100) -> Any:
    """Random whole numbers, none of whose rows is constant."""
    x = np.random.default_rng(seed).integers(-most, most + 1, (n, c)).astype(np.float32)
    x[:, 0], x[:, 1] = most + 1, -most - 1
    return x


def passes(layer: Any, p: Any, x: Any, dy: Any) -> tuple[Any, Any]:
    """y and dx."""
    forward = layer.fwd(p, x)
    return forward.y, layer.bwd(p, forward.s, dy, layer.zeros()).dx


def term_size(x: Any, weight: Any, dy: Any) -> Any:
    """The size of the sums in the gradient of a row: those of dy·w, over the row's deviation."""
    return np.abs(dy * weight).sum(axis=1, keepdims=True) / x.std(axis=1, keepdims=True, dtype=np.float64)


@law
@given(some_rows, some_widths, seeds, st.integers(-1000, 1000))
def test_l53_softmax_is_shift_invariant(n: int, c: int, seed: int, shift: int) -> None:
    for make in SOFTMAX:
        layer = make(n, c)
        x, dy = whole(n, c, seed, 8), normal(layer.info.gives, seed + 1)
        assert same(passes(layer, (), x + np.float32(shift), dy), passes(layer, (), x, dy))


@law
@given(some_rows, some_widths, seeds)
def test_l53_softmax_sums_to_one_and_its_gradient_to_zero(n: int, c: int, seed: int) -> None:
    layer, log_layer = SOFTMAX[0](n, c), SOFTMAX[1](n, c)
    x, dy = normal(layer.info.takes, seed), normal(layer.info.takes, seed + 1)
    (y, dx), (log_y, log_dx) = passes(layer, (), x, dy), passes(log_layer, (), x, dy)
    for probabilities, gradient in ((y, dx), (np.exp(log_y.astype(np.float64)), log_dx)):
        assert np.allclose(probabilities.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=1e-6)
        assert np.all(np.abs(gradient.sum(axis=1, dtype=np.float64)) <= 1e-6 * np.abs(dy).sum(axis=1))


@law
@given(some_rows, some_widths, seeds)
def test_l53_softmax_commutes_with_permuting_the_columns(n: int, c: int, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(c)
    for make in SOFTMAX:
        layer = make(n, c)
        x, dy = normal(layer.info.takes, seed), normal(layer.info.takes, seed + 1)
        (y, dx), (other_y, other_dx) = passes(layer, (), x, dy), passes(layer, (), x[:, order], dy[:, order])
        assert np.allclose(other_y, y[:, order], rtol=1e-6, atol=0)
        assert np.allclose(other_dx, dx[:, order], rtol=1e-5, atol=1e-6 * np.abs(dy).max())


@law
@given(some_rows, some_widths, seeds, powers, st.integers(-1000, 1000))
def test_l55_layer_norm_sees_neither_shift_nor_scale(n: int, c: int, seed: int, factor: float, shift: int) -> None:
    layer = LAYER_NORM(n, c, eps=0.0)
    p, x, dy = parameters(layer, seed), whole(n, c, seed), normal(layer.info.gives, seed + 1)
    (y, dx), scale = passes(layer, p, x, dy), np.float32(factor)
    other_y, other_dx = passes(layer, p, (x + np.float32(shift)) * scale, dy)
    assert np.allclose(other_y, y, rtol=1e-5, atol=1e-5)
    assert np.all(np.abs(other_dx * scale - dx) <= 1e-5 * term_size(x, p.weight, dy))


@law
@given(some_rows, some_widths, seeds)
def test_l55_layer_norms_gradient_sums_to_zero(n: int, c: int, seed: int) -> None:
    layer = LAYER_NORM(n, c)
    p, x, dy = parameters(layer, seed), normal(layer.info.takes, seed), normal(layer.info.gives, seed + 1)
    sums = passes(layer, p, x, dy)[1].sum(axis=1, keepdims=True, dtype=np.float64)
    assert np.all(np.abs(sums) <= 1e-5 * term_size(x, p.weight, dy))


@law
@given(some_rows, some_widths, seeds, powers)
def test_l56_rms_norm_does_not_see_scale(n: int, c: int, seed: int, factor: float) -> None:
    layer = RMS_NORM(n, c, eps=0.0)
    p, x, dy = parameters(layer, seed), whole(n, c, seed), normal(layer.info.gives, seed + 1)
    (y, dx), scale = passes(layer, p, x, dy), np.float32(factor)
    other_y, other_dx = passes(layer, p, x * scale, dy)
    assert same((other_y, other_dx * scale), (y, dx))


@law
@given(some_rows, some_widths, seeds)
def test_l56_rms_norms_gradient_is_orthogonal_to_its_input(n: int, c: int, seed: int) -> None:
    layer = RMS_NORM(n, c, eps=0.0)
    p, x, dy = parameters(layer, seed), whole(n, c, seed), normal(layer.info.gives, seed + 1)
    terms = passes(layer, p, x, dy)[1].astype(np.float64) * x
    assert np.all(np.abs(terms.sum(axis=1, keepdims=True)) <= 1e-5 * term_size(x, p, dy) * np.abs(x).max())
