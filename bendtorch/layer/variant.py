"""Variants of a layer: the same parameters, inputs and outputs, with another behaviour of some layers inside.

A layer whose behaviour varies (Dropout) says how in its `vary`; a combinator varies as its parts do (`as_parts_do`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from bendtorch.layer.protocol import Layer

L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The layer as it is used, not trained: Dropout is the identity."""


@dataclass(frozen=True, slots=True)
class Copy:
    """One of several copies of a layer, each of which draws other random numbers."""

    index: int


Mode: TypeAlias = Evaluation | Copy


def as_parts_do(build: Callable[..., L], *parts: Layer[Any, Any, Any, Any]) -> Callable[[Mode], L] | None:
    """How `build(*parts)` varies: as the parts do. None where none of them does, so that nothing is built anew."""
    if not any(part.varies for part in parts):
        return None
    return lambda mode: build(*(part.variant(mode) for part in parts))
