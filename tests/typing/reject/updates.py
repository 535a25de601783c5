"""Arrays changed in place, as a hand-written backward pass does with its gradient."""

from __future__ import annotations

import numpy as np

from bendtorch import Mat
from bendtorch.shapes.dims import D, I, N, O


def gradients(g: Mat[O, I], s: Mat[N, I], dy: Mat[N, O]) -> None:
    g += s.T @ dy  # E: Mat[O, I] cannot hold Mat[I, O]; turn one of them round with .T  [bend-shape]
    g -= s  # E: Mat[O, I] cannot hold Mat[N, I]: what is put into an array must have its shape  [bend-shape]
    g *= dy  # E: Mat[O, I] cannot hold Mat[N, O]: what is put into an array must have its shape  [bend-shape]
    g /= s.T  # E: Mat[O, I] cannot hold Mat[I, N]: what is put into an array must have its shape  [bend-shape]
    g[:] = s.T @ dy  # E: Mat[O, I] cannot hold Mat[I, O]; turn one of them round with .T  [bend-shape]
    g[...] = s  # E: Mat[O, I] cannot hold Mat[N, I]: what is put into an array must have its shape  [bend-shape]


def rows(g: Mat[1, D], s: Mat[N, D]) -> None:
    g += s.sum(axis=1, keepdims=True)  # E: Mat[1, D] cannot hold Mat[N, 1]: what is put into an array must have its shape  [bend-shape]
    g += s  # E: Mat[1, D] cannot hold Mat[N, D]: what is put into an array must have its shape  [bend-shape]


def numbers(g: Mat[3, 4], s: Mat[4, 3]) -> None:
    g += s  # E: Mat[3, 4] cannot hold Mat[4, 3]; turn one of them round with .T  [bend-shape]


# ---- parts of an array
def parts(g: Mat[O, I], s: Mat[N, I], v: Mat[3, 4], w: Mat[1, 3]) -> None:
    g[0] += s[:, 0]  # E: float32[I] cannot hold float32[N]: what is put into an array must have its shape  [bend-shape]
    v[1:3] = w  # E: Mat[2, 4] cannot hold Mat[1, 3]: what is put into an array must have its shape  [bend-shape]
    v[1:3] += w  # E: Mat[2, 4] cannot hold Mat[1, 3]: what is put into an array must have its shape  [bend-shape]
    v[:, 0] = v[0]  # E: float32[3] cannot hold float32[4]: what is put into an array must have its shape  [bend-shape]
    v[0] = w[0]  # E: float32[4] cannot hold float32[3]: what is put into an array must have its shape  [bend-shape]
    v[None] = w  # E: float32[1, 3, 4] cannot hold Mat[1, 3]: what is put into an array must have its shape  [bend-shape]
    np.copyto(v, w)  # E: Mat[3, 4] cannot hold Mat[1, 3]: what is put into an array must have its shape  [bend-shape]
    v[0, 0] = w  # E: one number of an array cannot hold Mat[1, 3]  [bend-shape]


# ---- the array that a result is put into
def outputs(v: Mat[3, 4], w: Mat[1, 3], big: Mat[4, 4]) -> None:
    np.sum(v, axis=0, keepdims=True, out=w)  # E: sum: "out" is Mat[1, 3], the result is Mat[1, 4]; give an array of that shape  [bend-shape]
    v.sum(axis=0, keepdims=True, out=w)  # E: sum: "out" is Mat[1, 3], the result is Mat[1, 4]; give an array of that shape  [bend-shape]
    np.max(v, axis=0, out=w[0])  # E: max: "out" is float32[3], the result is float32[4]; give an array of that shape  [bend-shape]
    np.add(v, v, out=w)  # E: np.add: "out" is Mat[1, 3], the result is Mat[3, 4]; give an array of that shape  [bend-shape]
    np.add(v, v, w)  # E: np.add: "out" is Mat[1, 3], the result is Mat[3, 4]; give an array of that shape  [bend-shape]
    np.exp(w, out=v)  # E: np.exp: "out" is Mat[3, 4], the result is Mat[1, 3]; give an array of that shape  [bend-shape]
    np.matmul(v, v.T, out=w)  # E: matmul: "out" is Mat[1, 3], the result is Mat[3, 3]; give an array of that shape  [bend-shape]
    np.dot(v, v.T, out=w)  # E: dot: "out" is Mat[1, 3], the result is Mat[3, 3]; give an array of that shape  [bend-shape]
    np.einsum("ij->ji", v, out=v)  # E: einsum: "out" is Mat[3, 4], the result is Mat[4, 3]; give an array of that shape  [bend-shape]
    np.concatenate([v, v], out=v)  # E: concatenate: "out" is Mat[3, 4], the result is Mat[6, 4]; give an array of that shape  [bend-shape]
    np.cumsum(v, axis=0, out=w)  # E: cumsum: "out" is Mat[1, 3], the result is Mat[3, 4]; give an array of that shape  [bend-shape]
    np.clip(v, 0, 1, out=w)  # E: clip: "out" is Mat[1, 3], the result is Mat[3, 4]; give an array of that shape  [bend-shape]
    y: Mat[3, 4] = np.add.reduce(v)  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]


# ---- the shape itself
def shapes(v: Mat[3, 4]) -> None:
    v.shape = (4, 3)  # E: assigning .shape changes the array, but not its type Mat[3, 4]; use .reshape(...)  [bend-shape]
    v.resize((4, 3))  # E: .resize changes the array, but not its type Mat[3, 4]; use np.resize(...)  [bend-shape]
