"""numpy's operations on matrices."""

from __future__ import annotations

import numpy as np
from typing_extensions import assert_type

from bendtorch import Dim, Mat
from bendtorch.shapes import FlatF32
from bendtorch.shapes.dims import D, I, N, O


def products(n: Dim[N], x: Mat[N, I], w: Mat[I, O], dy: Mat[N, O]) -> Mat[N, O]:
    assert_type(x @ w, Mat[N, O])
    assert_type(x.T @ dy, Mat[I, O])
    assert_type((dy @ w.T).T, Mat[I, N])
    return x @ w


def elementwise(x: Mat[N, I], y: Mat[N, I], bias: Mat[1, I]) -> Mat[N, I]:
    assert_type(x + y, Mat[N, I])
    assert_type(2 * x - y / 3.0, Mat[N, I])
    return x * y + bias


def made(n: Dim[N], d: Dim[D]) -> Mat[N, "2*D"]:
    assert_type(np.ones((n, d), np.float32), Mat[N, D])
    assert_type(np.empty((n, 3), dtype=np.float32), Mat[N, 3])
    assert_type(np.full((n, d), -3, np.float32), Mat[N, D])
    flat: FlatF32 = np.zeros(len(np.ones(3)), np.float32)
    floats = np.zeros((n, d), float)
    return np.zeros((n, d + d), dtype=np.float32)
