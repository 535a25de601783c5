"""What an optimizer remembers between steps: nothing, one moment or two, each of the parameters' own type.

A state splits and joins as the parameters do, so that a composite steps each part with the part's own share; no buffer
is ever made up for a missing one: halves that do not match raise `ConfigError`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from bendtorch.errors import ConfigError
from bendtorch.optim.config import Adam, AdamW, Momentum, Optimizer

P = TypeVar("P")
Q = TypeVar("Q")


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


OptState: TypeAlias = NoMoments[P] | OneMoment[P] | TwoMoments[P]


def new_state(optimizer: Optimizer, zeros: Callable[[], P]) -> OptState[P]:
    """The state before the first step."""
    if isinstance(optimizer, (Adam, AdamW)):
        return TwoMoments(zeros(), zeros())
    if isinstance(optimizer, Momentum):
        return OneMoment(zeros())
    return NoMoments()


def map_state(state: OptState[P], f: Callable[[P], Q]) -> OptState[Q]:
    """The state with `f` applied to each buffer."""
    if isinstance(state, TwoMoments):
        return TwoMoments(f(state.m), f(state.v))
    if isinstance(state, OneMoment):
        return OneMoment(f(state.m))
    return NoMoments()


def split_state(state: OptState[tuple[P, Q]]) -> tuple[OptState[P], OptState[Q]]:
    """The shares of the two parts of a pair of parameters."""
    return map_state(state, lambda pair: pair[0]), map_state(state, lambda pair: pair[1])


def join_states(states: Sequence[OptState[P]]) -> OptState[tuple[P, ...]]:
    """The state of a tuple of parameters from the states of its parts: at least one, all for the same optimizer."""
    if all(isinstance(state, TwoMoments) for state in states):
        both = [state for state in states if isinstance(state, TwoMoments)]
        return TwoMoments(tuple(state.m for state in both), tuple(state.v for state in both))
    if all(isinstance(state, OneMoment) for state in states):
        return OneMoment(tuple(state.m for state in states if isinstance(state, OneMoment)))
    if all(isinstance(state, NoMoments) for state in states):
        return NoMoments()
    raise _mixed(*states)


def _mixed(*states: OptState[Any]) -> ConfigError:
    kinds = sorted({type(state).__name__ for state in states})
    return ConfigError(
        f"the parts of a model have optimizer states of different kinds: {', '.join(kinds)}; "
        "make all for the same optimizer"
    )


def join_state(first: OptState[P], second: OptState[Q]) -> OptState[tuple[P, Q]]:
    """`split_state`'s inverse. Raises `ConfigError` when the two were made for different optimizers."""
    if isinstance(first, TwoMoments) and isinstance(second, TwoMoments):
        return TwoMoments((first.m, second.m), (first.v, second.v))
    if isinstance(first, OneMoment) and isinstance(second, OneMoment):
        return OneMoment((first.m, second.m))
    if isinstance(first, NoMoments) and isinstance(second, NoMoments):
        return NoMoments()
    raise _mixed(first, second)
