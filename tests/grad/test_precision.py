"""autocast: nothing changes but where it is emulated; products and what keeps their type; scaling of FP8."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from bendtorch import grad
from bendtorch.errors import ConfigError
from bendtorch.grad.precision import rounded
from tests.support.grad import normal

A, B = normal(0, (3, 5)), normal(1, (5, 4))


def test_without_emulation_nothing_changes() -> None:
    for kind in (grad.F16, grad.BF16, grad.FP8):
        g = grad.graph()
        g.autocast(kind)
        assert np.array_equal(g.value(g.input(A) @ B), _product(None))


def _product(kind: Any) -> Any:
    g = grad.graph()
    if kind is not None:
        g.autocast(kind, emulate=True)
    return g.value(g.input(A) @ B)


def _half(x: Any) -> Any:
    return x.astype(np.float16).astype(np.float32)


def test_f16_rounds_operands_and_result() -> None:
    assert np.array_equal(_product(grad.F16), _half(_half(A) @ _half(B)))
    assert np.array_equal(_product(grad.F32), _product(None))


def test_the_backward_pass_rounds_too() -> None:
    g = grad.graph()
    g.autocast(grad.F16, emulate=True)
    x, y, ct = g.input(A), g.input(B), normal(2, (3, 4))
    grads = g.backward_from(x @ y, ct)
    assert np.allclose(grads.of(x), _half(_half(ct) @ _half(B).T), rtol=1e-3)
    assert np.array_equal(grads.of(x), _half(grads.of(x)))
    assert np.array_equal(grads.of(y), _half(grads.of(y)))


def test_operations_on_a_product_keep_its_type() -> None:
    g = grad.graph()
    g.autocast(grad.F16, emulate=True)
    x, y = g.input(A), g.input(B)
    z = x @ y
    kept = (grad.exp(z), z + z, z * 2.0, z * g.input(np.array([[3.0]], np.float32)), -z)
    assert all(v.precision is grad.F16 for v in kept)
    assert all(np.array_equal(g.value(v), _half(g.value(v))) for v in kept)
    wide = (z + g.input(normal(3, (4,))), grad.sum(z), grad.softmax(z), grad.transpose(z), x * x)
    assert all(v.precision is None for v in wide)


def test_it_can_be_turned_off_again() -> None:
    g = grad.graph()
    g.autocast(grad.F16, emulate=True)
    low = g.input(A) @ B
    g.autocast(grad.F32)
    high = g.input(A) @ B
    assert low.precision is grad.F16
    assert high.precision is None
    assert np.array_equal(g.value(high), _product(None))


def test_batches_and_convolutions_are_products() -> None:
    for kind in (None, grad.F16):
        g = grad.graph()
        if kind is not None:
            g.autocast(kind, emulate=True)
        x, y = g.input(normal(0, (2, 3, 4))), g.input(normal(1, (2, 4, 3)))
        assert grad.batch_matmul(x, y).precision is kind
        image, weight, bias = (
            g.input(normal(2, (1, 2, 3, 3))),
            g.input(normal(3, (2, 2, 2, 2))),
            g.input(normal(4, (2,))),
        )
        result = grad.conv2d(image, weight, bias)
        ct = normal(5, (1, 2, 2, 2))
        grads = g.backward_from(result, ct)
        if kind is None:
            exact, gradient = g.value(result), grads.of(weight)
    assert not np.array_equal(g.value(result), exact)
    assert np.allclose(g.value(result), exact, atol=2e-2)
    assert np.allclose(grads.of(weight), gradient, atol=2e-2)
    assert np.allclose(grads.of(bias), ct.sum((0, 2, 3)), atol=1e-2)


def test_a_checkpoint_computes_as_it_was_told() -> None:
    results = []
    for checkpointed in (False, True):
        g = grad.graph()
        g.autocast(grad.F16, emulate=True)
        x, y = g.input(A), g.input(B)
        z = grad.checkpoint([x, y], lambda h, xs: xs[0] @ xs[1]) if checkpointed else x @ y
        loss = grad.sum(z)
        g.autocast(grad.F32)
        results.append((g.value(z), g.backward(loss).of(x)))
    assert np.array_equal(results[0][0], results[1][0])
    assert np.array_equal(results[0][1], results[1][1])


def test_bfloat16_and_float8() -> None:
    types = pytest.importorskip("ml_dtypes")
    x = normal(0, (40,)) * np.float32(1e-3)
    assert np.array_equal(rounded(x, grad.BF16), x.astype(types.bfloat16).astype(np.float32))
    low = rounded(x, grad.FP8)
    assert np.all(np.abs(low - x) <= np.maximum(2.0**-4 * np.abs(x), np.abs(x).max() * 2.0**-9 / 448 * 1.01))
    assert np.array_equal(rounded(np.zeros(3, np.float32), grad.FP8), np.zeros(3))
    assert np.isnan(rounded(np.array([np.nan, 1.0], np.float32), grad.FP8)[0])
    product = _product(grad.FP8)
    assert np.allclose(product, rounded(A, grad.FP8) @ rounded(B, grad.FP8), rtol=1e-5, atol=1e-6)
    assert not np.array_equal(product, _product(None))


@pytest.mark.parametrize("exponent", [-149, -140, -126, -60, 60, 118])
def test_float8_of_small_and_large_numbers(exponent: int) -> None:
    """A power of two scales the numbers and their roundings alike, without a warning; subnormal ones lose no more."""
    pytest.importorskip("ml_dtypes")
    x = np.array([0, 1, 2, 4, 7, -8, 3], np.float32)
    assert np.array_equal(rounded(np.ldexp(x, exponent), grad.FP8), np.ldexp(rounded(x, grad.FP8), exponent))
    largest = np.full(3, np.finfo(np.float32).max)
    assert np.allclose(rounded(largest, grad.FP8), largest, rtol=1e-6)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    g = grad.graph()
    with pytest.raises(ConfigError, match=r"^autocast: emulating BF16 needs the package ml_dtypes; install it with"):
        g.autocast(grad.BF16, emulate=True)
    g.autocast(grad.BF16)


def test_refusals() -> None:
    g = grad.graph()
    with pytest.raises(ConfigError, match=r"^autocast: expected F32, F16, BF16 or FP8, got 'float16'"):
        g.autocast("float16")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^autocast: emulate must be True or False, got 1"):
        g.autocast(grad.F16, emulate=1)  # type: ignore[arg-type]
