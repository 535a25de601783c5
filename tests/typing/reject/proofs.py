"""Equations between sizes that do not hold."""

from __future__ import annotations

from typing import TypeVar

from support.sketches import Reshape

from bendtorch import PROVE, Dim, Eq, Layer, Mat, Unit
from bendtorch.shapes.dims import D, I, N, O

Q = TypeVar("Q", bound=int)

Reshape(6, 4, 8, 2)  # E: Reshape: i*n = 4*6 = 24 but m*o = 8*2 = 16  [bend-proof]


def symbolic(n: Dim[N], d: Dim[D]) -> object:
    return Reshape(n, 4 * d, 2 * n, d)  # E: Reshape: i*n = 4*D*N but m*o = 2*D*N  [bend-proof]


def unrelated(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 5, q, d)  # E: Reshape: i*n = 5*N but m*o = D*Q  [bend-proof]


def handed(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 5, q, d, proof)  # E: Reshape: "proof" is Eq[4*N, D*Q], expected Eq[5*N, D*Q]  [bend-shape]


def Halve(n: Dim[N], i: Dim[I], o: Dim[O], proof: Eq[I, "2*O"] = PROVE) -> Layer[Unit, Mat[N, I], Mat[N, O], Unit]:
    raise NotImplementedError


Halve(3, 7, 3)  # E: Halve: i = 7 but 2*o = 6  [bend-proof]
