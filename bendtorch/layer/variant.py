"""Variants of a layer: the same parameters, inputs and outputs, with another behaviour of some layers inside.

A layer whose behaviour varies (Dropout) says how in its `vary`. A combinator says how it is built from other layers in
the place of its parts (`rebuild`), so that whatever is done to layers can be done to whole models.
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


def of_parts(build: Callable[..., L], *parts: Layer[Any, Any, Any, Any]) -> Callable[[Callable[..., Any]], L]:
    """The `rebuild` of a combinator that is `build(*parts)`: the same of `change(part)` for each part.

    A change keeps the types of a layer: its parameters, input and output.
    """
    return lambda change: build(*(change(part) for part in parts))
