"""Equations between sizes that do not hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from support.sketches import Reshape

from bendtorch import PROVE, Dim, Eq, Layer, Mat, RoPE, Unit
from bendtorch.shapes.dims import B, D, I, N, O, T

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

# ---- however it is called
Reshape(2, 3, 4, 5, PROVE)  # E: Reshape: i*n = 3*2 = 6 but m*o = 4*5 = 20  [bend-proof]
Reshape(2, 3, 4, 5, proof=PROVE)  # E: Reshape: i*n = 3*2 = 6 but m*o = 4*5 = 20  [bend-proof]
Reshape(2, 3, 4, 5, Eq())  # E: Eq: a proof is not made; leave it out, or give PROVE  [bend-proof]
partial(Reshape, 2, 3, 4, 5)()  # E: Reshape: i*n = 6 but m*o = 20  [bend-proof]
partial(Reshape, 2, 3)(4, 5)  # E: Reshape: i*n = 6 but m*o = 4*5 = 20  [bend-proof]
again = Reshape
again(2, 3, 4, 5)  # E: again: i*n = 3*2 = 6 but m*o = 4*5 = 20  [bend-proof]
hidden: Callable[[int, int, int, int], Any] = Reshape
hidden(2, 3, 4, 5)  # E: hidden: the type of "hidden" hides the equation of Reshape; call Reshape itself  [bend-proof]
list(map(Reshape, [2], [3], [4], [5]))  # E: map: Reshape has an equation, which is decided where Reshape is called; call it in a loop  [bend-proof]


def by_another_name(anything: Any) -> None:
    stated: Eq[6, 20] = PROVE
    Reshape(2, 3, 4, 5, stated)  # E: Reshape: i*n = 3*2 = 6 but m*o = 4*5 = 20  [bend-proof]
    Reshape(2, 3, 4, 5, anything)  # E: Reshape: i*n = 3*2 = 6 but m*o = 4*5 = 20  [bend-proof]


# ---- a multiple
RoPE(8, 3, 1, 1)  # E: RoPE: n = 8 is not a multiple of t = 3  [bend-proof]


def sequences(n: Dim[N], b: Dim[B], t: Dim[T], k: int) -> None:
    RoPE(n, t, 1, 1)  # E: RoPE: n = N is not known to be a multiple of t = T; write it as a product  [bend-proof]
    RoPE(n, 4, 1, 1)  # E: RoPE: n = N is not known to be a multiple of t = 4; write it as a product  [bend-proof]
    RoPE(b * t + 1, t, 1, 1)  # E: RoPE: n = B*T + 1 is not known to be a multiple of t = T; write it as a product  [bend-proof]
    RoPE(k, 2, 1, 1)  # E: RoPE: n = k is not known to be a multiple of t = 2; write it as a product  [bend-proof]
