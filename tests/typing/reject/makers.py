"""Functions that give functions that make layers, called with sizes that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bendtorch import Dim, Layer, Mat, ReLU, Seq, Unit
from bendtorch.shapes.dims import D, N


def of_width(d: Dim[D]) -> Callable[[N], Layer[Unit, Mat[N, D], Mat[N, D], Any]]:
    raise NotImplementedError


def at_once(n: Dim[N], d: Dim[D], rows: list[int]) -> None:
    of_width(7)(n) >> ReLU(n, 8)  # E: >>: of_width gives Mat[N, 7], ReLU takes Mat[N, 8]  [bend-shape]
    of_width(7)(n) >> ReLU(7, n)  # E: >>: of_width gives Mat[N, 7], ReLU takes Mat[7, N]  [bend-shape]
    of_width(d)(n + 1) >> of_width(d)(n)  # E: >>: the left of_width gives Mat[N + 1, D], the right of_width takes Mat[N, D]  [bend-shape]
    Seq(of_width(d)(n), of_width(n)(d))  # E: Seq: the first layer gives Mat[N, D], the second takes Mat[D, N]  [bend-shape]
    of_width(7)(rows[0])  # E: of_width(...): argument 1 is not static; bind it to a name first, as in "n = rows[0]"  [bend-dim]
    of_width(7)(-1)  # E: of_width(...): argument 1 is -1; a size is not negative  [bend-dim]
    of_width(7)(*rows)  # E: of_width(...): argument 1 is not static: *rows may have any length; unpack it first  [bend-dim]
    of_width(7)(3, 4)  # E: Too many arguments for "of_width(...)"  [call-arg]
