"""Equations between sizes that do not hold."""

from __future__ import annotations

from typing import TypeVar

from bendtorch import PROVE, Dim, Eq, Layer, Mat, Unit
from bendtorch.shapes.dims import D, I, N, O
from support.sketches import Reshape

Q = TypeVar("Q", bound=int)

Reshape(6, 4, 8, 2)  # E


def symbolic(n: Dim[N], d: Dim[D]) -> object:
    return Reshape(n, 4 * d, 2 * n, d)  # E


def unrelated(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 5, q, d)  # E


def handed(n: Dim[N], d: Dim[D], q: Dim[Q], proof: Eq["N*4", "Q*D"]) -> object:
    return Reshape(n, 5, q, d, proof)  # E


def Halve(n: Dim[N], i: Dim[I], o: Dim[O], proof: Eq[I, "2*O"] = PROVE) -> Layer[Unit, Mat[N, I], Mat[N, O], Unit]:
    raise NotImplementedError


Halve(3, 7, 3)  # E
