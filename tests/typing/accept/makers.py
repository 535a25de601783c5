"""Functions that give functions that make layers, called in one expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typing_extensions import assert_type

from bendtorch import Dim, Layer, Linear, Mat, ReLU, Seq, Unit
from bendtorch.shapes.dims import C, D, N


def of_width(d: Dim[D]) -> Callable[[N], Layer[Unit, Mat[N, D], Mat[N, D], Any]]:
    raise NotImplementedError


def of_two(d: Dim[D]) -> Callable[[C], Callable[[N], Layer[Unit, Mat[N, "C*D"], Mat[N, D], Any]]]:
    raise NotImplementedError


class Makers:
    """The same by a method."""

    def of_width(self, d: Dim[D]) -> Callable[[N], Layer[Unit, Mat[N, D], Mat[N, D], Any]]:
        raise NotImplementedError


def at_once(n: Dim[N], d: Dim[D], makers: Makers) -> None:
    assert_type(of_width(7)(3), Layer[Unit, Mat[3, 7], Mat[3, 7], Any])
    of_width(7)(n) >> ReLU(n, 7)
    of_width(d)(n + 1) >> Linear(n + 1, d, 3)
    of_width(7)(3) >> of_width(d=7)(3)
    Seq(of_width(d)(n), of_width(d)(n))
    assert_type(of_two(3)(4)(5), Layer[Unit, Mat[5, 12], Mat[5, 3], Any])
    makers.of_width(4)(n) >> ReLU(n, 4)
    named = of_width(7)
    assert_type(named(3), Layer[Unit, Mat[3, 7], Mat[3, 7], Any])
    plain: Callable[[int], Layer[Unit, Mat[int, 7], Mat[int, 7], Any]] = of_width(7)
