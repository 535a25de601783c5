"""Tie: three layers in a row, of which the first and the last share their parameters.

    y = last_p(mid_q(first_p(x)))

Tied embeddings: the table that looks tokens up is the weight that scores them. The shared parameters are stored,
counted, dumped and stepped once; both uses add into one gradient, the last one first, as PyTorch does.
"""

from __future__ import annotations

from typing import Any, TypeVar

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.layer.chain import check_seam
from bendtorch.layer.given import A_LAYER, PARAMETERS, guard_backward, guard_pair, require
from bendtorch.layer.info import Info
from bendtorch.layer.pair import pair
from bendtorch.layer.protocol import Bwd, Fwd, Layer, make_layer
from bendtorch.layer.variant import of_parts

P = TypeVar("P")
Q = TypeVar("Q")
X = TypeVar("X")
Y = TypeVar("Y")
Z = TypeVar("Z")
W = TypeVar("W")
S1 = TypeVar("S1")
S2 = TypeVar("S2")
S3 = TypeVar("S3")


def Tie(
    first: Layer[P, X, Y, S1], mid: Layer[Q, Y, Z, S2], last: Layer[P, Z, W, S3]
) -> Layer[tuple[P, Q], X, W, tuple[S1, S2, S3]]:
    """`first`, `mid`, `last`, where `first` and `last` have the same parameters.

    The shared parameters are initialised and stepped as `first`'s. Raises `ShapeError` when two layers do not meet, or
    when the parameters to share have different shapes, and `ConfigError` when a layer behind parameters gives no
    gradient of its input.

    Laws: L21, L24 to L28, L31 to L35, L39, L40, L42, L44, L46 to L49, L51, L69; L32 up to rounding, as each use adds by
    itself.
    """
    require("Tie", A_LAYER, Layer, first, mid, last)
    check_seam(first, mid, "Tie")
    check_seam(mid, last, "Tie")
    if not last.info.input_gradient and first.count() > 0:
        raise ConfigError(
            f"Tie: {last.info.brief} gives no gradient of its input, "
            f"but {first.info.brief} before it has parameters to train"
        )
    _check_shared(first, last)

    saves = (first.info.saves, mid.info.saves, last.info.saves)
    info = Info(
        "Tie",
        takes=first.info.takes,
        gives=last.info.gives,
        saves=None if None in saves else tuple(part for part in saves if part is not None),
        parts=(first, mid, last),
        input_gradient=all(layer.info.input_gradient for layer in (first, mid, last)),
    )

    def fwd(p: tuple[P, Q], x: X) -> Fwd[W, tuple[S1, S2, S3]]:
        guard_pair(p, info, PARAMETERS)
        one = first.fwd(p[0], x)
        two = mid.fwd(p[1], one.y)
        three = last.fwd(p[0], two.y)
        return Fwd(three.y, (one.s, two.s, three.s))

    def bwd(p: tuple[P, Q], s: tuple[S1, S2, S3], dw: W, g: tuple[P, Q]) -> Bwd[tuple[P, Q], X]:
        guard_backward(p, s, g, info, 3)
        three = last.bwd(p[0], s[2], dw, g[0])
        two = mid.bwd(p[1], s[1], three.dx, g[1])
        one = first.bwd(p[0], s[0], two.dx, three.g)
        return Bwd(one.dx, (one.g, two.g))

    names = (*(leaf.under("shared") for leaf in first.leaves), *(leaf.under("1") for leaf in mid.leaves))
    return make_layer(pair(first, mid, names), fwd, bwd, info, rebuild=of_parts(Tie, first, mid, last))


def _check_shared(first: Layer[P, Any, Any, Any], last: Layer[P, Any, Any, Any]) -> None:
    """Refuse two layers whose parameters have different shapes."""
    one, two = ([leaf.shape for leaf in layer.leaves] for layer in (first, last))
    if one != two:
        shown = [", ".join(f"Mat[{r}, {c}]" for r, c in shapes) or "none" for shapes in (one, two)]
        raise ShapeError(
            f"Tie: {first.info.brief} has parameters {shown[0]}, {last.info.brief} has parameters {shown[1]}; "
            "tied layers share one set of parameters"
        )
