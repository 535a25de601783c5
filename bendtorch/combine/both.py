"""Both: two layers side by side on a pair.  y = (f(a), g(b)),  dx = (da, db)."""

from __future__ import annotations

from typing import TypeVar

from bendtorch.layer.given import A_LAYER, PARAMETERS, guard_backward, guard_pair, require
from bendtorch.layer.info import Info, both_known
from bendtorch.layer.pair import pair
from bendtorch.layer.protocol import Bwd, Fwd, Layer, make_layer
from bendtorch.layer.variant import of_parts

P1 = TypeVar("P1")
P2 = TypeVar("P2")
X1 = TypeVar("X1")
X2 = TypeVar("X2")
Y1 = TypeVar("Y1")
Y2 = TypeVar("Y2")
S1 = TypeVar("S1")
S2 = TypeVar("S2")


def Both(
    f: Layer[P1, X1, Y1, S1], g: Layer[P2, X2, Y2, S2]
) -> Layer[tuple[P1, P2], tuple[X1, X2], tuple[Y1, Y2], tuple[S1, S2]]:
    """The first layer on the first of a pair, the second on the second.

    Laws: L6 to L8, L10, L22, L24 to L28, L31 to L35, L38 to L40, L44, L46 to L49, L51, L69.
    """
    require("Both", A_LAYER, Layer, f, g)
    one, two = f.info, g.info

    info = Info(
        "Both",
        takes=both_known(one.takes, two.takes),
        gives=both_known(one.gives, two.gives),
        saves=both_known(one.saves, two.saves),
        parts=(f, g),
        input_gradient=one.input_gradient and two.input_gradient,
    )

    def fwd(p: tuple[P1, P2], x: tuple[X1, X2]) -> Fwd[tuple[Y1, Y2], tuple[S1, S2]]:
        guard_pair(p, info, PARAMETERS)
        guard_pair(x, info, "x")
        first, second = f.fwd(p[0], x[0]), g.fwd(p[1], x[1])
        return Fwd((first.y, second.y), (first.s, second.s))

    def bwd(
        p: tuple[P1, P2], s: tuple[S1, S2], dy: tuple[Y1, Y2], gradient: tuple[P1, P2]
    ) -> Bwd[tuple[P1, P2], tuple[X1, X2]]:
        guard_backward(p, s, gradient, info)
        guard_pair(dy, info, "dy")
        second = g.bwd(p[1], s[1], dy[1], gradient[1])
        first = f.bwd(p[0], s[0], dy[0], gradient[0])
        return Bwd((first.dx, second.dx), (first.g, second.g))

    return make_layer(pair(f, g), fwd, bwd, info, rebuild=of_parts(Both, f, g))
