"""pool2d: the largest and the mean of windows beside float64; ties; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.errors import ConfigError, ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, of_sizes


def _case(n: int, c: int, sides: tuple[int, int], size: int, stride: int, average: bool, seed: int) -> Case:
    x = normal(seed, (n, c, sides[0] + size, sides[1] + size))

    def exact(x: Any) -> Any:
        windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::stride, ::stride]
        return windows.mean((4, 5)) if average else windows.max((4, 5))

    return Case(lambda v: grad.pool2d(v, size, stride, average), exact, (x,))


few = st.integers(1, 3)

test_operation = check_operations(
    Operation(
        "pool2d", of_sizes(_case, st.integers(0, 2), st.integers(1, 2), st.tuples(few, few), few, few, st.booleans())
    )
)


def test_the_first_of_equals_has_the_gradient() -> None:
    g = grad.graph()
    x = g.input(np.array([[[[1.0, 2.0], [2.0, 2.0]]]], np.float32))
    y = grad.pool2d(x, 2)
    assert g.backward(y).of(x).tolist() == [[[[0.0, 1.0], [0.0, 0.0]]]]
    assert g.tangent([x], [np.array([[[[5.0, 6.0], [7.0, 8.0]]]], np.float32)], y).tolist() == [[[[6.0]]]]


def test_windows_lie_side_by_side() -> None:
    g = grad.graph()
    assert grad.pool2d(g.input(normal(0, (1, 1, 6, 9))), 3).shape == (1, 1, 2, 3)


def test_refusals() -> None:
    g = grad.graph()
    x = g.input(normal(0, (1, 1, 2, 2)))
    with pytest.raises(ShapeError, match=r"^pool2d: x must be \(n, c, h, w\), got the shape \[2, 2\]"):
        grad.pool2d(g.input(normal(0, (2, 2))), 1)
    with pytest.raises(ShapeError, match=r"^pool2d\(1, 1, 2, 2, 3\): the window is 3 high, the image only 2"):
        grad.pool2d(x, 3)
    with pytest.raises(ConfigError, match=r"^pool2d: average must be True or False, got 1"):
        grad.pool2d(x, 1, average=1)  # type: ignore[arg-type]
