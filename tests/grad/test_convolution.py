"""conv2d: sizes, strides and padding beside float64, and beside the layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import Conv, Conv2d, grad
from bendtorch.errors import ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, of_sizes


def exact(x: Any, weight: Any, bias: Any, stride: int, pad: int) -> Any:
    """A convolution in float64."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    return np.einsum("nchwij,ocij->nohw", windows, weight) + bias[:, None, None]


def _case(
    n: int, c: int, o: int, sides: tuple[int, int], window: tuple[int, int], stride: int, pad: int, seed: int
) -> Case:
    (h, w), (kh, kw) = sides, window
    inputs = (normal(seed, (n, c, h + kh, w + kw)), normal(seed + 1, (o, c, kh, kw)), normal(seed + 2, (o,)))
    return Case(
        lambda x, weight, bias: grad.conv2d(x, weight, bias, stride, pad),
        lambda x, weight, bias: exact(x, weight, bias, stride, pad),
        inputs,
    )


few = st.integers(1, 2)
pairs = st.tuples(few, few)

test_operation = check_operations(
    Operation("conv2d", of_sizes(_case, st.integers(0, 2), few, few, pairs, pairs, few, st.integers(0, 1)))
)


def test_the_layer_has_the_same_bits() -> None:
    layer: Any = Conv2d(2, 3, 6, 7, 4, 3, 2, stride=2, padding=1)
    x, weight, bias = normal(0, (2, 3 * 6 * 7)), normal(1, (4, 18)), normal(2, (1, 4))
    made: Any = Conv
    p = made(weight, bias)
    done = layer.fwd(p, x)
    dy = normal(3, done.y.shape)
    back = layer.bwd(p, done.s, dy, layer.zeros())
    g = grad.graph()
    v, w, b = g.input(x.reshape(2, 3, 6, 7)), g.input(weight.reshape(4, 3, 3, 2)), g.input(bias[0])
    y = grad.conv2d(v, w, b, 2, 1)
    grads = g.backward_from(y, dy.reshape(y.shape))
    assert np.array_equal(g.value(y).reshape(done.y.shape), done.y)
    assert np.array_equal(grads.of(v).reshape(x.shape), back.dx)
    assert np.array_equal(grads.of(w).reshape(weight.shape), back.g.weight)
    assert np.allclose(grads.of(b), back.g.bias[0], rtol=1e-6)


def test_refusals() -> None:
    g = grad.graph()
    x, w, b = g.input(normal(0, (1, 2, 4, 4))), g.input(normal(1, (3, 2, 2, 2))), g.input(normal(2, (3,)))
    with pytest.raises(ShapeError, match=r"^conv2d: expected x .*got \[1, 2, 4, 4\], \[3, 1, 2, 2\], \[3\]"):
        grad.conv2d(x, g.input(normal(1, (3, 1, 2, 2))), b)
    with pytest.raises(ShapeError, match=r"^conv2d: expected x"):
        grad.conv2d(x, w, g.input(normal(2, (2,))))
    with pytest.raises(ShapeError, match=r"^conv2d\(1, 2, 4, 4, 3, 5, 2\): the window is 5 high, the image only 4"):
        grad.conv2d(x, g.input(normal(1, (3, 2, 5, 2))), b)
    with pytest.raises(ShapeError, match="stride"):
        grad.conv2d(x, w, b, stride=0)
