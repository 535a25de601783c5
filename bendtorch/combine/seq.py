"""`Seq(a, b, c, ...)`: layers one after another.

Parameters, gradients, saved values and optimizer states are pairs nested to the right: `(pa, (pb, pc))`. `a >> b >> c`
is the same chain with pairs nested to the left. Both have the same numbers in the same dump order.
"""

from __future__ import annotations

from typing import Any, TypeVar, overload

from bendtorch.errors import ConfigError
from bendtorch.layer.chain import chain
from bendtorch.layer.protocol import Layer

P1 = TypeVar("P1")
P2 = TypeVar("P2")
P3 = TypeVar("P3")
P4 = TypeVar("P4")
S1 = TypeVar("S1")
S2 = TypeVar("S2")
S3 = TypeVar("S3")
S4 = TypeVar("S4")
X = TypeVar("X")
Y1 = TypeVar("Y1")
Y2 = TypeVar("Y2")
Y3 = TypeVar("Y3")
Z = TypeVar("Z")


@overload
def Seq(la: Layer[P1, X, Y1, S1], lb: Layer[P2, Y1, Z, S2], /) -> Layer[tuple[P1, P2], X, Z, tuple[S1, S2]]: ...
@overload
def Seq(
    la: Layer[P1, X, Y1, S1], lb: Layer[P2, Y1, Y2, S2], lc: Layer[P3, Y2, Z, S3], /
) -> Layer[tuple[P1, tuple[P2, P3]], X, Z, tuple[S1, tuple[S2, S3]]]: ...
@overload
def Seq(
    la: Layer[P1, X, Y1, S1], lb: Layer[P2, Y1, Y2, S2], lc: Layer[P3, Y2, Y3, S3], ld: Layer[P4, Y3, Z, S4], /
) -> Layer[tuple[P1, tuple[P2, tuple[P3, P4]]], X, Z, tuple[S1, tuple[S2, tuple[S3, S4]]]]: ...
@overload
def Seq(
    la: Layer[Any, Any, Any, Any],
    lb: Layer[Any, Any, Any, Any],
    lc: Layer[Any, Any, Any, Any],
    ld: Layer[Any, Any, Any, Any],
    le: Layer[Any, Any, Any, Any],
    /,
    *rest: Layer[Any, Any, Any, Any],
) -> Layer[Any, Any, Any, Any]: ...
def Seq(*layers: Layer[Any, Any, Any, Any]) -> Layer[Any, Any, Any, Any]:
    """Two or more layers, each taking what the one before gives.

    With the mypy plugin the result is exactly typed for any number of layers.

    Raises `ShapeError` at the seam where two layers do not meet, and `ConfigError` for fewer than two layers.

    Laws: L1 to L5, L7, L24 to L28, L31 to L35, L38 to L40, L44, L46 to L49, L51, L69.
    """
    if len(layers) == 1 and isinstance(layers[0], (list, tuple)):
        raise ConfigError("Seq: give the layers one by one, Seq(a, b), not in a list")
    if len(layers) < 2:
        raise ConfigError(f"Seq: at least two layers are needed, {len(layers)} given")
    result = layers[-1]
    for layer in reversed(layers[:-1]):
        result = chain(layer, result)
    return result
