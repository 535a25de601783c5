"""Passes that users write: what they give back is checked, so that a layer at fault is named and not the one beside it.

The package's own passes are tested instead, and pay nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bendtorch.errors import DtypeError
from bendtorch.layer.given import shown

if TYPE_CHECKING:
    from bendtorch.layer.protocol import Bwd, Fwd

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")

PACKAGE: Final = "bendtorch."


def is_own(function: Callable[..., Any]) -> bool:
    """Whether a function is a user's, not of this package."""
    return not str(getattr(function, "__module__", "")).startswith(PACKAGE)


def checked_forward(layer: object, kind: type[object], fwd: Callable[[P, X], Fwd[Y, S]]) -> Callable[[P, X], Fwd[Y, S]]:
    """`fwd`, which must give a `Fwd`."""

    @functools.wraps(fwd)
    def forward(p: P, x: X) -> Fwd[Y, S]:
        out = fwd(p, x)
        if isinstance(out, kind):
            return out
        raise DtypeError(f"{layer}: fwd must give Fwd(y, s), got {shown(out)}")

    return forward


def checked_backward(
    layer: object, kind: type[object], bwd: Callable[[P, S, Y, P], Bwd[P, X]]
) -> Callable[[P, S, Y, P], Bwd[P, X]]:
    """`bwd`, which must give a `Bwd` with a gradient of the type that it was given."""

    @functools.wraps(bwd)
    def backward(p: P, s: S, dy: Y, g: P) -> Bwd[P, X]:
        out = bwd(p, s, dy, g)
        if not isinstance(out, kind):
            raise DtypeError(f"{layer}: bwd must give Bwd(dx, g), got {shown(out)}")
        if type(out.g) is not type(g):
            raise DtypeError(
                f"{layer}: bwd must give back g, a {type(g).__name__}, with its gradient added, got {shown(out.g)}"
            )
        return out

    return backward
