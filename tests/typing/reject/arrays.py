"""numpy's operations on matrices whose shapes do not fit."""

from __future__ import annotations

import numpy as np
from bendtorch import Dim, Mat
from bendtorch.shapes.dims import I, N, O


def products(x: Mat[N, I], dy: Mat[N, O], a: Mat[3, 4], b: Mat[5, 6]) -> None:
    x @ dy  # E
    a @ b  # E
    a.T @ b.T  # E
    a + b  # E
    x * dy  # E


def gives(x: Mat[N, I], dy: Mat[N, O]) -> Mat[I, O]:
    return dy.T @ x  # E


def transposed(x: Mat[N, I]) -> Mat[N, I]:
    return x.T  # E


def scaled(x: Mat[N, I]) -> Mat[I, N]:
    return x * 2.0  # E


def reshaped(x: Mat[N, I]) -> Mat[I, N]:
    return x.reshape(3, 4)  # E


def summed(x: Mat[N, "4*I"], y: Mat[N, "I + 1"]) -> Mat[N, I]:
    return y  # E


def made(n: Dim[N], i: Dim[I]) -> Mat[N, I]:
    if n > i:
        return np.zeros((n, i))  # E
    return np.zeros((i, n), np.float32)  # E


literal: Mat[64, 783] = np.zeros((64, 784), dtype=np.float32)  # E
