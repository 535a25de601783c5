"""Layers of the user's own with a pass that does not fit."""

from __future__ import annotations

import numpy as np
from support.sketches import Weight, matmul

from bendtorch import Bwd, Dim, Fwd, Layer, Mat, make_layer
from bendtorch.layer import matrix
from bendtorch.shapes.dims import I, N, O


def parts(n: Dim[N], i: Dim[I], o: Dim[O]) -> None:
    def fwd(p: Mat[O, I], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        raise NotImplementedError

    def bwd(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        raise NotImplementedError

    def gives_transposed(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[I, N]]:
        raise NotImplementedError

    def gives_other_parameters(p: Mat[O, I], s: Mat[N, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[I, O], Mat[N, I]]:
        raise NotImplementedError

    def takes_other(p: Mat[O, I], s: Mat[N, O], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        raise NotImplementedError

    def takes_few(p: Mat[O, I], dy: Mat[N, O], g: Mat[O, I]) -> Bwd[Mat[O, I], Mat[N, I]]:
        raise NotImplementedError

    def not_forward(p: Mat[O, I], x: Mat[N, I]) -> Mat[N, O]:
        raise NotImplementedError

    params = matrix(o, i)
    make_layer(params, fwd, gives_transposed)  # E: make_layer: bwd gives Bwd[Mat[O, I], Mat[I, N]], expected Bwd[Mat[O, I], Mat[N, I]]  [arg-type]
    make_layer(params, fwd, gives_other_parameters)  # E: make_layer: bwd gives Bwd[Mat[I, O], Mat[N, I]], expected Bwd[Mat[O, I], Mat[N, I]]  [arg-type]
    make_layer(params, fwd, takes_other)  # E: make_layer: bwd takes Mat[N, O] as argument 2, expected Mat[N, I]  [arg-type]
    make_layer(params, fwd, takes_few)  # E: make_layer: bwd takes 3 arguments, expected 4  [arg-type]
    make_layer(matrix(i, o), fwd, bwd)  # E: make_layer: params is Params[Mat[I, O]], expected Params[Mat[O, I]]  [arg-type]
    make_layer(params, not_forward, bwd)  # E: make_layer: fwd gives Mat[N, O], expected Fwd[Mat[N, O], Mat[N, I]]  [arg-type]
    make_layer(params, fwd=fwd, bwd=gives_transposed)  # E: make_layer: bwd gives Bwd[Mat[O, I], Mat[I, N]], expected Bwd[Mat[O, I], Mat[N, I]]  [arg-type]
    kept: Layer[Mat[O, I], Mat[N, I], Mat[N, O], Mat[N, O]] = make_layer(params, fwd, bwd)  # E: the value saves Mat[N, I], declared Mat[N, O]  [assignment]
    wrong_zeros = matrix(i, o).zeros
    Layer(
        zeros=wrong_zeros,  # E: Layer: zeros gives Mat[I, O], expected Mat[O, I]  [arg-type]
        step=params.step,
        dump=params.dump,
        load=params.load,
        store=params.store,
        count=params.count,
        fwd=fwd,
        bwd=gives_transposed,  # E: Layer: bwd gives Bwd[Mat[O, I], Mat[I, N]], expected Bwd[Mat[O, I], Mat[N, I]]  [arg-type]
    )


def whole(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[I, O], Mat[N, I], Mat[N, O], Mat[N, I]]:
    def fwd(p: Mat[I, O], x: Mat[N, I]) -> Fwd[Mat[N, O], Mat[N, I]]:
        return Fwd(matmul(x, p), x)

    def bwd(p: Mat[I, O], s: Mat[N, I], dy: Mat[N, O], g: Mat[I, O]) -> Bwd[Mat[I, O], Mat[N, I]]:
        dx = matmul(dy, p.T)
        return Bwd(dx.T, g)  # E: Bwd: "dx" is Mat[I, N], expected Mat[N, I]; turn it round with .T  [arg-type]

    def other(p: Mat[I, O], s: Mat[N, I], dy: Mat[N, O], g: Mat[I, O]) -> Bwd[Mat[I, O], Mat[N, I]]:
        return Bwd(matmul(dy, p.T), matmul(dy.T, s))  # E: Bwd: "g" is Mat[O, I], expected Mat[I, O]; turn it round with .T  [arg-type]

    def zeros() -> Weight[I, O]:
        return Weight(np.zeros((o, i), dtype=np.float32))  # E: Weight: "w" is Mat[O, I], expected Mat[I, O]; turn it round with .T  [arg-type]

    if n > i:
        return make_layer(matrix(i, o), fwd, other)
    return make_layer(matrix(i, o), fwd, bwd)


def wrong_return(n: Dim[N], i: Dim[I], o: Dim[O]) -> Layer[Mat[I, O], Mat[N, O], Mat[N, I], Mat[N, I]]:
    return whole(n, i, o)  # E: the returned value takes Mat[N, I], declared Mat[N, O]; gives Mat[N, O], declared Mat[N, I]  [return-value]
