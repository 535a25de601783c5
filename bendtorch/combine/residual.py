"""Residual: y = x + f(x),  dx = dy + dx_f."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

from bendtorch.combine.arithmetic import Add2
from bendtorch.combine.fork import Fork
from bendtorch.combine.wiring import Id
from bendtorch.errors import ShapeError
from bendtorch.layer import Layer, Unit
from bendtorch.layer.chain import chain
from bendtorch.layer.given import A_LAYER, require
from bendtorch.layer.variant import of_parts
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, N
from bendtorch.shapes.spec import ArraySpec, show_spec

P = TypeVar("P")
S = TypeVar("S")


def Residual(
    f: Layer[P, Mat[N, C], Mat[N, C], S],
) -> Layer[tuple[tuple[Unit, P], Unit], Mat[N, C], Mat[N, C], tuple[tuple[Unit, S], Unit]]:
    """A layer that keeps its shape, added to its input: `Fork(Id, f) >> Add2`.

    Raises `ShapeError` when `f` gives another shape than it takes.

    Laws: L19, L20, L24 to L28, L31 to L35, L38 to L40, L44, L46 to L49, L51, L69.
    """
    require("Residual", A_LAYER, Layer, f)
    takes, gives = f.info.takes, f.info.gives
    if takes is None or gives is None:
        raise ShapeError(
            f"Residual: the shapes of {f.info.brief} are not known; give make_layer(...) its info=Info(...)"
        )
    if not isinstance(takes, ArraySpec) or takes.kind != "Mat" or takes != gives:
        raise ShapeError(
            f"Residual: {f.info.brief} takes {show_spec(takes)}, gives {show_spec(gives)}; "
            "a residual layer must keep its shape"
        )
    n, c = takes.shape[0], takes.shape[1]
    same: Layer[Unit, Mat[N, C], Mat[N, C], Unit] = cast("Any", Id(n, c))  # n and c are the sizes N and C of f
    add: Layer[Unit, tuple[Mat[N, C], Mat[N, C]], Mat[N, C], Unit] = cast("Any", Add2(n, c))
    whole = chain(Fork(same, f), add, "Residual")
    info = replace(whole.info, name="Residual", parts=(f,), links=whole.info.parts)
    return replace(whole, info=info, rebuild=of_parts(Residual, f))
