"""Layers and combinators by their types alone, as a user of the package would declare them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from bendtorch import PROVE, Dim, Eq, Ids, Layer, Mat, Unit
from bendtorch.shapes.dims import HALF, C, D, H, I, M, N, O, T, V

P = TypeVar("P")
P1 = TypeVar("P1")
P2 = TypeVar("P2")
S = TypeVar("S")
S1 = TypeVar("S1")
S2 = TypeVar("S2")
S3 = TypeVar("S3")
X = TypeVar("X")
X1 = TypeVar("X1")
X2 = TypeVar("X2")
Y = TypeVar("Y")
Y1 = TypeVar("Y1")
Y2 = TypeVar("Y2")
Z = TypeVar("Z")

WIDTH: Final = 64
HEIGHT: Final = len(sys.argv)


@dataclass(frozen=True)
class Weight(Generic[I, O]):
    """One matrix."""

    w: Mat[I, O]


def RMSNorm(n: Dim[N], c: Dim[C]) -> Layer[Mat[1, C], Mat[N, C], Mat[N, C], Mat[N, C]]:
    raise NotImplementedError


def Id(n: Dim[N], c: Dim[C]) -> Layer[Unit, Mat[N, C], Mat[N, C], Unit]:
    raise NotImplementedError


def Glu(n: Dim[N], c: Dim[C]) -> Layer[Unit, tuple[Mat[N, C], Mat[N, C]], Mat[N, C], Any]:
    raise NotImplementedError


def Embedding(n: Dim[N], v: Dim[V], d: Dim[D]) -> Layer[Weight[V, D], Ids[N], Mat[N, D], Ids[N]]:
    raise NotImplementedError


def Unembed(n: Dim[N], v: Dim[V], d: Dim[D]) -> Layer[Weight[V, D], Mat[N, D], Mat[N, V], Mat[N, D]]:
    raise NotImplementedError


def RoPE(
    n: Dim[N], t: Dim[T], h: Dim[H], half: Dim[HALF], *, base: float = 10000.0
) -> Layer[Unit, Mat[N, "2*H*HALF"], Mat[N, "2*H*HALF"], Unit]:
    raise NotImplementedError


def Fork(f: Layer[P1, X, Y1, S1], g: Layer[P2, X, Y2, S2]) -> Layer[tuple[P1, P2], X, tuple[Y1, Y2], tuple[S1, S2]]:
    raise NotImplementedError


def Both(
    f: Layer[P1, X1, Y1, S1], g: Layer[P2, X2, Y2, S2]
) -> Layer[tuple[P1, P2], tuple[X1, X2], tuple[Y1, Y2], tuple[S1, S2]]:
    raise NotImplementedError


def Residual(f: Layer[P, Mat[N, C], Mat[N, C], S]) -> Layer[P, Mat[N, C], Mat[N, C], S]:
    raise NotImplementedError


def Tie(f: Layer[P, X, Y, S1], g: Layer[P, Y, Z, S2]) -> Layer[P, X, Z, tuple[S1, S2]]:
    raise NotImplementedError


def TieAround(
    f: Layer[P, X, Y, S1], mid: Layer[P2, Y, Y2, S2], g: Layer[P, Y2, Z, S3]
) -> Layer[tuple[P, P2], X, Z, tuple[S1, tuple[S2, S3]]]:
    raise NotImplementedError


def Reshape(
    n: Dim[N], i: Dim[I], m: Dim[M], o: Dim[O], proof: Eq["N*I", "M*O"] = PROVE
) -> Layer[Unit, Mat[N, I], Mat[M, O], Unit]:
    raise NotImplementedError


def matmul(a: Mat[N, I], b: Mat[I, O]) -> Mat[N, O]:
    return a @ b


def transpose(a: Mat[N, I]) -> Mat[I, N]:
    return a.T
