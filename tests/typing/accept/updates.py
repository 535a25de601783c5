"""Arrays changed in place with what fits, also by broadcasting."""

from __future__ import annotations

import numpy as np
from typing_extensions import assert_type

from bendtorch import Mat
from bendtorch.shapes.dims import D, I, N, O


def gradients(g: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], row: Mat[1, I]) -> Mat[O, I]:
    g += dy.T @ s
    g -= row
    g *= 2.0
    g /= 3
    g[:] = dy.T @ s
    g[...] = 0.0
    g[:] = row
    g[0, :] = 1.0
    assert_type(g, Mat[O, I])
    return g


def rows(g: Mat[1, D], s: Mat[N, D]) -> Mat[1, D]:
    g += s.sum(axis=0, keepdims=True)
    s += g
    return g


def parts(v: Mat[3, 4], w: Mat[1, 4], s: Mat[N, D]) -> None:
    v[0] += w[0]
    v[1:3] = w
    v[1:3] += v[:2]
    v[:, 0] = v[:, 1]
    np.copyto(v, w)
    v[0, 0] = 3.0
    v[0, 0] += 1.0
    v[[0, 2]] = v[:2]
    v[v > 0] = 0.0
    s[0] = s[1]
    s[:, 0] = s[:, 1]
    rows, columns = v.shape


def outputs(v: Mat[3, 4], w: Mat[1, 4], square: Mat[3, 3], s: Mat[N, D], r: Mat[1, D]) -> Mat[N, D]:
    np.sum(v, axis=0, keepdims=True, out=w)
    v.sum(axis=0, out=w[0])
    assert_type(np.sum(s, axis=0, keepdims=True, out=r), Mat[1, D])
    np.add(v, w, out=v)
    np.add(w, 1.0, v)
    np.exp(v, out=v)
    np.matmul(v, v.T, out=square)
    np.dot(v, v.T, square)
    np.einsum("ij,kj->ik", v, v, out=square)
    np.concatenate([v[:1], v[1:]], out=v)
    np.cumsum(v, axis=0, out=v)
    np.clip(v, 0, 1, out=v)
    v.clip(0, 1, out=v)
    return np.multiply(s, 2.0, out=s)
