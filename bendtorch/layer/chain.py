"""Two layers in a row: what `>>` and `Seq` are made of."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.layer.given import A_LAYER, PARAMETERS, guard_backward, guard_pair, require
from bendtorch.layer.info import Info, both_known
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.pair import pair
from bendtorch.layer.protocol import Bwd, Fwd, Layer, make_layer
from bendtorch.layer.variant import of_parts
from bendtorch.shapes.spec import show_spec

P1 = TypeVar("P1")
P2 = TypeVar("P2")
X = TypeVar("X")
Y = TypeVar("Y")
Z = TypeVar("Z")
S1 = TypeVar("S1")
S2 = TypeVar("S2")

CHAIN = "Seq"


def chain(
    first: Layer[P1, X, Y, S1], second: Layer[P2, Y, Z, S2], written: str = "Seq"
) -> Layer[tuple[P1, P2], X, Z, tuple[S1, S2]]:
    """`first`, then `second`. Laws: L1 to L5, L38, L47, L48.

    Raises `ShapeError` when what `first` gives is not what `second` takes, and `ConfigError` when `second` gives no
    gradient of its input although `first` has parameters to train. `written` is how the user wrote it, for the message.
    """
    check_seam(first, second, written)
    parts = (*chain_parts(first), *chain_parts(second))
    info = chain_info(first, second, parts)

    def fwd(p: tuple[P1, P2], x: X) -> Fwd[Z, tuple[S1, S2]]:
        guard_pair(p, info, PARAMETERS)
        one = first.fwd(p[0], x)
        two = second.fwd(p[1], one.y)
        return Fwd(two.y, (one.s, two.s))

    def bwd(p: tuple[P1, P2], s: tuple[S1, S2], dz: Z, g: tuple[P1, P2]) -> Bwd[tuple[P1, P2], X]:
        guard_backward(p, s, g, info)
        two = second.bwd(p[1], s[1], dz, g[1])
        one = first.bwd(p[0], s[0], two.dx, g[0])
        return Bwd(one.dx, (one.g, two.g))

    rebuild = of_parts(partial(chain, written=written), first, second)
    return make_layer(pair(first, second, chain_leaves(parts)), fwd, bwd, info, rebuild=rebuild)


def chain_parts(layer: Layer[Any, Any, Any, Any]) -> tuple[Layer[Any, Any, Any, Any], ...]:
    """The layers in a row that a layer stands for, however it is nested."""
    return layer.info.parts if layer.info.name == CHAIN else (layer,)


def chain_leaves(parts: tuple[Layer[Any, Any, Any, Any], ...]) -> tuple[Leaf, ...]:
    """The leaves of a chain, each under its layer's place (`0.weight`, `0.bias`, `2.weight`), whatever the nesting.

    A layer that stands for several in a row (Residual) has as many places.
    """
    links = [link for part in parts for link in part.info.links or (part,)]
    return tuple(leaf.under(str(place)) for place, link in enumerate(links) for leaf in link.leaves)


def chain_info(
    first: Layer[Any, Any, Any, Any], second: Layer[Any, Any, Any, Any], parts: tuple[Layer[Any, Any, Any, Any], ...]
) -> Info:
    """A chain's description of itself."""
    one, two = first.info, second.info
    return Info(
        CHAIN,
        takes=one.takes,
        gives=two.gives,
        saves=both_known(one.saves, two.saves),
        parts=parts,
        input_gradient=one.input_gradient and two.input_gradient,
    )


def check_seam(first: Layer[Any, Any, Any, Any], second: Layer[Any, Any, Any, Any], written: str) -> None:
    """Refuse two layers that do not meet; the message names the two parts at fault, not the whole chains."""
    require(written, A_LAYER, Layer, first, second)
    left, right = chain_parts(first)[-1], chain_parts(second)[0]
    gives, takes = first.info.gives, second.info.takes
    if gives is not None and takes is not None and gives != takes:
        raise ShapeError(
            f"{written}: {left.info.brief} gives {show_spec(gives)}, {right.info.brief} takes {show_spec(takes)}"
        )
    if not second.info.input_gradient and first.count() > 0:
        blind = next((part for part in chain_parts(second) if not part.info.input_gradient), right)
        trained = next((part for part in reversed(chain_parts(first)) if part.count() > 0), left)
        raise ConfigError(
            f"{written}: {blind.info.brief} gives no gradient of its input, "
            f"but {trained.info.brief} before it has parameters to train; "
            f"use a layer that gives one (Linear instead of LinearFirst)"
        )
