"""Fork: one input to two layers.  y = (f(x), g(x)),  dx = dx_f + dx_g."""

from __future__ import annotations

from typing import TypeVar

from bendtorch.combine.gradients import add_gradients
from bendtorch.errors import ShapeError
from bendtorch.layer.given import A_LAYER, PARAMETERS, guard_backward, guard_pair, require
from bendtorch.layer.info import Info, both_known
from bendtorch.layer.pair import pair
from bendtorch.layer.protocol import Bwd, Fwd, Layer, make_layer
from bendtorch.layer.variant import of_parts
from bendtorch.shapes.spec import show_spec

P1 = TypeVar("P1")
P2 = TypeVar("P2")
X = TypeVar("X")
Y1 = TypeVar("Y1")
Y2 = TypeVar("Y2")
S1 = TypeVar("S1")
S2 = TypeVar("S2")


def Fork(f: Layer[P1, X, Y1, S1], g: Layer[P2, X, Y2, S2]) -> Layer[tuple[P1, P2], X, tuple[Y1, Y2], tuple[S1, S2]]:
    """Both layers on the same input; outputs, parameters and saved values are pairs.

    The input may be a matrix, ids or any tuple of them; its gradient is the sum of the two. Raises `ShapeError` when
    the layers take different inputs.

    Laws: L11, L15, L24 to L28, L30 to L35, L38 to L40, L44, L46 to L49, L51, L69.
    """
    require("Fork", A_LAYER, Layer, f, g)
    one, two = f.info, g.info
    if one.takes is not None and two.takes is not None and one.takes != two.takes:
        raise ShapeError(
            f"Fork: {one.brief} takes {show_spec(one.takes)}, {two.brief} takes {show_spec(two.takes)}; "
            "both must take the same input"
        )

    info = Info(
        "Fork",
        takes=one.takes if one.takes is not None else two.takes,
        gives=both_known(one.gives, two.gives),
        saves=both_known(one.saves, two.saves),
        parts=(f, g),
        input_gradient=one.input_gradient and two.input_gradient,
    )

    def fwd(p: tuple[P1, P2], x: X) -> Fwd[tuple[Y1, Y2], tuple[S1, S2]]:
        guard_pair(p, info, PARAMETERS)
        first, second = f.fwd(p[0], x), g.fwd(p[1], x)
        return Fwd((first.y, second.y), (first.s, second.s))

    def bwd(p: tuple[P1, P2], s: tuple[S1, S2], dy: tuple[Y1, Y2], gradient: tuple[P1, P2]) -> Bwd[tuple[P1, P2], X]:
        guard_backward(p, s, gradient, info)
        guard_pair(dy, info, "dy")
        second = g.bwd(p[1], s[1], dy[1], gradient[1])
        first = f.bwd(p[0], s[0], dy[0], gradient[0])
        return Bwd(add_gradients(first.dx, second.dx, "Fork"), (first.g, second.g))

    return make_layer(pair(f, g), fwd, bwd, info, rebuild=of_parts(Fork, f, g))
