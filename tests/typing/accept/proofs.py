"""Equations between sizes that hold."""

from __future__ import annotations

from functools import partial

from support.sketches import Reshape
from typing_extensions import TypeVar, assert_type

from bendtorch import PROVE, Dim, Eq, Layer, Linear, Mat, ReLU, RoPE, Unit
from bendtorch.shapes.dims import B, D, N, T

Q = TypeVar("Q", bound=int)

assert_type(Reshape(6, 4, 8, 3), Layer[Unit, Mat[6, 4], Mat[8, 3], Unit])


def symbolic(n: Dim[N], d: Dim[D]) -> object:
    return Reshape(n, 4 * d, 2 * n, 2 * d) >> Linear(2 * n, d + d, 7)


def handed_on(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 4, q, d, proof)


def assumed(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 4, q, d)


def ways(n: Dim[N], q: Dim[Q], d: Dim[D], proof: Eq["N*4", "Q*D"]) -> None:
    again, given = Reshape, proof
    Reshape(6, 4, 8, 3, PROVE)
    Reshape(6, 4, 8, 3, proof=PROVE)
    partial(Reshape, 6, 4)(8, 3) >> ReLU(8, 3)
    again(6, 4, 8, 3)
    Reshape(n, 4, q, d, given)
    Reshape(n, 4, q, d, PROVE)


def sequences(n: Dim[N], b: Dim[B], t: Dim[T], k: int) -> None:
    RoPE(8, 4, 1, 1)
    RoPE(0, 4, 1, 1)
    RoPE(b * t, t, 1, 1)
    RoPE(2 * b * t, 2 * t, 1, 1)
    RoPE(n, n, 1, 1)
    RoPE(n, 1, 1, 1)
    RoPE(k // t * t, t, 1, 1)


def told(n: Dim[N], t: Dim[T], proof: Eq["(N//T)*T", N]) -> None:
    RoPE(n, t, 1, 1)
