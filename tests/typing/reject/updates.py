"""Arrays changed in place, as a hand-written backward pass does with its gradient."""

from __future__ import annotations

from bendtorch import Mat
from bendtorch.shapes.dims import D, I, N, O


def gradients(g: Mat[O, I], s: Mat[N, I], dy: Mat[N, O]) -> None:
    g += s.T @ dy  # E: Mat[O, I] cannot hold Mat[I, O]: what is put into an array must have its shape  [bend-shape]
    g -= s  # E: Mat[O, I] cannot hold Mat[N, I]: what is put into an array must have its shape  [bend-shape]
    g *= dy  # E: Mat[O, I] cannot hold Mat[N, O]: what is put into an array must have its shape  [bend-shape]
    g /= s.T  # E: Mat[O, I] cannot hold Mat[I, N]: what is put into an array must have its shape  [bend-shape]
    g[:] = s.T @ dy  # E: Mat[O, I] cannot hold Mat[I, O]: what is put into an array must have its shape  [bend-shape]
    g[...] = s  # E: Mat[O, I] cannot hold Mat[N, I]: what is put into an array must have its shape  [bend-shape]


def rows(g: Mat[1, D], s: Mat[N, D]) -> None:
    g += s.sum(axis=1, keepdims=True)  # E: Mat[1, D] cannot hold Mat[N, 1]: what is put into an array must have its shape  [bend-shape]
    g += s  # E: Mat[1, D] cannot hold Mat[N, D]: what is put into an array must have its shape  [bend-shape]


def numbers(g: Mat[3, 4], s: Mat[4, 3]) -> None:
    g += s  # E: Mat[3, 4] cannot hold Mat[4, 3]: what is put into an array must have its shape  [bend-shape]
