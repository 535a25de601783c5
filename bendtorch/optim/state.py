"""What an optimizer remembers between steps: nothing, one moment, or two, each of the parameters' own type or packed.

A state splits and joins as the parameters do, so that a composite steps each part with the part's own share; no buffer
is ever made up for a missing one: parts that do not match raise `ConfigError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.optim.config import Adam, Momentum, Optimizer, PackedAdamW
from bendtorch.shapes.arrays import FlatF32

P = TypeVar("P")
Q = TypeVar("Q")

FlatBF16: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint16]]


@dataclass(frozen=True, slots=True)
class NoMoments(Generic[P]):
    """Gradient descent remembers nothing."""


@dataclass(frozen=True, slots=True)
class OneMoment(Generic[P]):
    """Momentum's running sum of gradients."""

    m: P


@dataclass(frozen=True, slots=True)
class TwoMoments(Generic[P]):
    """Adam's running means of the gradient and of its square."""

    m: P
    v: P


@dataclass(frozen=True, slots=True)
class PackedMoments:
    """Adam's two moments, the first or both in bfloat16, flat in dump order: the same for any nesting of parameters.

    A bfloat16 is kept as the uint16 of its bits, so element 2k is the low half of the little-endian word k.
    """

    m: FlatBF16
    v: FlatBF16 | FlatF32


OptState: TypeAlias = NoMoments[P] | OneMoment[P] | TwoMoments[P] | PackedMoments


def new_state(optimizer: Optimizer, zeros: Callable[[], P], cells: int | None = None) -> OptState[P]:
    """The state before the first step. Packed moments need to know how many numbers the parameters have (`cells`)."""
    if isinstance(optimizer, PackedAdamW):
        if cells is None:
            raise ConfigError("new_state: PackedAdamW needs the count of the parameters; give cells=model.count()")
        second: Any = np.zeros(cells, np.uint16 if optimizer.second else np.float32)
        return PackedMoments(np.zeros(cells, np.uint16), second)
    if isinstance(optimizer, Adam):
        return TwoMoments(zeros(), zeros())
    if isinstance(optimizer, Momentum):
        return OneMoment(zeros())
    return NoMoments()


def map_state(state: OptState[P], f: Callable[[P], Q]) -> OptState[Q]:
    """The state with `f`, which nests the parameters in another way, applied to each buffer; packed ones stay."""
    if isinstance(state, TwoMoments):
        return TwoMoments(f(state.m), f(state.v))
    if isinstance(state, OneMoment):
        return OneMoment(f(state.m))
    return state if isinstance(state, PackedMoments) else NoMoments()


def split_state(state: OptState[Any], cells: Sequence[int]) -> list[OptState[Any]]:
    """The shares of the parts of a tuple of parameters, of which part i has `cells[i]` numbers."""
    if isinstance(state, PackedMoments):
        ends = list(accumulate(cells, initial=0))
        if state.m.size != ends[-1]:
            raise ConfigError(f"packed moments of {state.m.size} numbers were given to {ends[-1]} parameters")
        return [PackedMoments(state.m[a:b], state.v[a:b]) for a, b in pairwise(ends)]
    return [map_state(state, lambda parts, i=i: parts[i]) for i in range(len(cells))]  # type: ignore[misc]


def join_states(states: Sequence[OptState[Any]]) -> OptState[Any]:
    """`split_state`'s inverse: the state of a tuple of parameters from those of its parts, at least one.

    Raises `ConfigError` when they were made for different optimizers.
    """
    kinds = {(type(state), state.v.dtype if isinstance(state, PackedMoments) else None) for state in states}
    if len(kinds) != 1:
        names = sorted(kind.__name__ for kind, _ in kinds)
        raise ConfigError(
            f"the parts of a model have optimizer states of different kinds: {', '.join(names)}; "
            "make all for the same optimizer"
        )
    kind, _ = kinds.pop()
    buffers = [tuple(getattr(state, name) for state in states) for name in kind.__slots__]
    return kind(*(map(np.concatenate, buffers) if kind is PackedMoments else buffers))


def rejoined(state: OptState[Any], shares: Sequence[OptState[Any]], stepped: Sequence[OptState[Any]]) -> OptState[Any]:
    """The state after its `shares` were stepped: itself where each was stepped in place, else what they were made."""
    in_place = all(before is after for before, after in zip(shares, stepped, strict=True))
    return state if in_place else join_states(stepped)
