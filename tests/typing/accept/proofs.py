"""Equations between sizes that hold."""

from __future__ import annotations

from support.sketches import Reshape
from typing_extensions import TypeVar, assert_type

from bendtorch import Dim, Eq, Layer, Linear, Mat, Unit
from bendtorch.shapes.dims import D, N

Q = TypeVar("Q", bound=int)

assert_type(Reshape(6, 4, 8, 3), Layer[Unit, Mat[6, 4], Mat[8, 3], Unit])


def symbolic(n: Dim[N], d: Dim[D]) -> object:
    return Reshape(n, 4 * d, 2 * n, 2 * d) >> Linear(2 * n, d + d, 7)


def handed_on(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 4, q, d, proof)


def assumed(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 4, q, d)
