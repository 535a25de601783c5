"""Small models that several tests use, also as targets of the command."""

from __future__ import annotations

from typing import Any, Final

from bendtorch.layers import Linear, LinearFirst, LinearNB, ReLU

LIN: Final[Any] = Linear
FIRST: Final[Any] = LinearFirst
NB: Final[Any] = LinearNB
RELU: Final[Any] = ReLU

NUMBER: Final = 3


def mlp(n: int) -> Any:
    """Four layers, of which two have parameters."""
    return FIRST(n, 3, 4) >> RELU(n, 4) >> LIN(n, 4, 2)


def wide(n: int, i: int, o: int = 5) -> Any:
    """A layer of sizes of one's own choice."""
    return NB(n, i, o)


def keyword_only(n: int, *, width: int) -> Any:
    """A model with a size that must be named."""
    return NB(n, width, width)


layer: Final[Any] = LIN(7, 3, 4)
nested: Final[Any] = RELU(1, 3) >> (LIN(1, 3, 3) >> RELU(1, 3))


def not_a_layer() -> int:
    """A function that builds something else."""
    return 3
