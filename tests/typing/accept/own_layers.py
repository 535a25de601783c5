"""Layers written by users, with a backward pass."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from support.sketches import matmul, transpose
from typing_extensions import assert_type

from bendtorch import Bwd, Dim, Fwd, Layer, Mat, Unit, make_layer
from bendtorch.layer import matrix, no_params
from bendtorch.shapes.dims import C, I, N, O


def bias_free(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[I, O], Mat[N, I], Mat[N, O], Mat[N, I]]:
    def fwd(p: Mat[I, O], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        return Fwd(matmul(x, p), x)

    def bwd(p: Mat[I, O], s: Mat[N, I], dy: Mat[N, O], g: Mat[I, O]) -> Bwd[Mat[I, O], Mat[N, I]]:
        return Bwd(dy @ p.T, g + s.T @ dy)

    return make_layer(matrix(i, o), fwd, bwd)


def double(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Unit]:
    def fwd(p: Unit, x: Mat[N, C]) -> Fwd[Mat[N, C], Unit]:
        return Fwd(2.0 * x, ())

    return make_layer(no_params(), fwd, lambda p, s, dy, g: Bwd(dy * 2.0, g))


def record(n: Dim[N], i: Dim[I]) -> Layer[Mat[I, I], Mat[N, I], Mat[N, I], Mat[N, I]]:
    def fwd(p: Mat[I, I], x: Mat[N, I]) -> Fwd[Mat[N, I], Mat[N, I]]:
        return Fwd(x @ p, x)

    def bwd(p: Mat[I, I], s: Mat[N, I], dy: Mat[N, I], g: Mat[I, I]) -> Bwd[Mat[I, I], Mat[N, I]]:
        return Bwd(dy @ transpose(p), g)

    params = matrix(i, i)
    return Layer(
        zeros=params.zeros,
        step=params.step,
        dump=params.dump,
        load=params.load,
        store=params.store,
        count=params.count,
        fwd=fwd,
        bwd=bwd,
    )


net = bias_free(3, 4, 5) >> double(3, 5) >> record(3, 5)
assert_type(net.zeros(), tuple[tuple[Mat[4, 5], Unit], Mat[5, 5]])
out = net.fwd(net.zeros(), np.ones((3, 4), np.float32))
assert_type(out.y, Mat[3, 5])
back = net.bwd(net.zeros(), out.s, out.y, net.zeros())
assert_type(back.dx, Mat[3, 4])
assert_type(back.g, tuple[tuple[Mat[4, 5], Unit], Mat[5, 5]])
loose: Layer[Any, Mat[3, 4], Mat[3, 5], Any] = cast("Layer[Any, Mat[3, 4], Mat[3, 5], Any]", net)
