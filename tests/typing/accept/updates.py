"""Arrays changed in place with what fits, also by broadcasting."""

from __future__ import annotations

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
