"""numpy's operations on matrices whose shapes do not fit."""

from __future__ import annotations

import numpy as np

from bendtorch import Dim, Mat
from bendtorch.shapes.dims import I, N, O


def products(x: Mat[N, I], dy: Mat[N, O], a: Mat[3, 4], b: Mat[5, 6]) -> None:
    x @ dy  # E: @: Mat[N, I] @ Mat[N, O]: inner sizes I and N differ; the left side turned round with .T fits  [bend-shape]
    a @ b  # E: @: Mat[3, 4] @ Mat[5, 6]: inner sizes 4 and 5 differ  [bend-shape]
    a.T @ b.T  # E: @: Mat[4, 3] @ Mat[6, 5]: inner sizes 3 and 6 differ  [bend-shape]
    a + b  # E: Mat[3, 4] and Mat[5, 6] have different shapes  [bend-shape]
    x * dy  # E: Mat[N, I] and Mat[N, O] have different shapes  [bend-shape]


def gives(x: Mat[N, I], dy: Mat[N, O]) -> Mat[I, O]:
    return dy.T @ x  # E: the returned value is Mat[O, I], declared Mat[I, O]; turn it round with .T  [return-value]


def transposed(x: Mat[N, I]) -> Mat[N, I]:
    return x.T  # E: the returned value is Mat[I, N], declared Mat[N, I]; turn it round with .T  [return-value]


def scaled(x: Mat[N, I]) -> Mat[I, N]:
    return x * 2.0  # E: the returned value is Mat[N, I], declared Mat[I, N]; turn it round with .T  [return-value]


def reshaped(x: Mat[N, I]) -> Mat[I, N]:
    return x.reshape(3, 4)  # E: the returned value is Mat[3, 4], declared Mat[I, N]  [return-value]


def summed(x: Mat[N, "4*I"], y: Mat[N, "I + 1"]) -> Mat[N, I]:
    return y  # E: the returned value is Mat[N, I + 1], declared Mat[N, I]  [return-value]


def made(n: Dim[N], i: Dim[I]) -> Mat[N, I]:
    if n > i:
        return np.zeros((n, i))  # E: the returned value is float64[N, I], declared Mat[N, I]; convert it with .astype(np.float32)  [return-value]
    return np.zeros((i, n), np.float32)  # E: the returned value is Mat[I, N], declared Mat[N, I]; turn it round with .T  [return-value]


literal: Mat[64, 783] = np.zeros((64, 784), dtype=np.float32)  # E: the value is Mat[64, 784], declared Mat[64, 783]  [assignment]
whole: Mat[3, 4] = np.full((3, 5), 0, np.float32)  # E: the value is Mat[3, 5], declared Mat[3, 4]  [assignment]
python_floats: Mat[3, 4] = np.zeros((3, 4), float)  # E: the value is float64[3, 4], declared Mat[3, 4]; convert it with .astype(np.float32)  [assignment]
python_ints: Mat[3, 4] = np.ones((3, 4), dtype=int)  # E: the value is int64[3, 4], declared Mat[3, 4]; convert it with .astype(np.float32)  [assignment]
no_type: Mat[3, 4] = np.empty((3, 4))  # E: the value is float64[3, 4], declared Mat[3, 4]; convert it with .astype(np.float32)  [assignment]
