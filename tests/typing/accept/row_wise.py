"""Softmax, log-softmax and the norms: rows and columns stay, options are no sizes."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

from bendtorch import Affine, Dim, Layer, LayerNorm, Lin, Linear, LogSoftmax, Mat, RMSNorm, Seq, Softmax, Unit
from bendtorch.shapes.dims import D, N

assert_type(Softmax(3, 4), Layer[Unit, Mat[3, 4], Mat[3, 4], Mat[3, 4]])
assert_type(LogSoftmax(3, 4), Layer[Unit, Mat[3, 4], Mat[3, 4], Mat[3, 4]])
assert_type(RMSNorm(3, 4), Layer[Mat[1, 4], Mat[3, 4], Mat[3, 4], tuple[Mat[3, 4], Mat[3, 1]]])
assert_type(LayerNorm(3, 4, eps=1e-6), Layer[Affine[4], Mat[3, 4], Mat[3, 4], tuple[Mat[3, 4], Mat[3, 3]]])


def head(n: Dim[N], d: Dim[D]) -> Layer[tuple[Affine[D], tuple[Lin[D, 10], Unit]], Mat[N, D], Mat[N, 10], Any]:
    return Seq(LayerNorm(n, d, eps=0.1), Linear(n, d, 10), Softmax(n, 10))


def block(n: Dim[N], d: Dim[D]) -> None:
    RMSNorm(n, d) >> Linear(n, d, 2 * d) >> LogSoftmax(n, d * 2)
    assert_type(RMSNorm(n, 2 * d, eps=1e-6).zeros(), Mat[1, "2*D"])
    assert_type(LayerNorm(n, 2 * d).zeros().bias, Mat[1, "2*D"])
