"""All seventy laws by their numbers: those that are checked on a layer, and those that something else must judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from bendtorch.errors import ConfigError
from bendtorch.laws.attention import LOOKS
from bendtorch.laws.backward import BACKWARD
from bendtorch.laws.chains import CHAINS
from bendtorch.laws.diagnosis import diagnosed
from bendtorch.laws.differences import DIFFERENCES
from bendtorch.laws.directions import ADJOINT, CHAIN_RULE
from bendtorch.laws.formulas import FORMULAS
from bendtorch.laws.gradients import ACCUMULATES, LINEAR, PURE, SCALES, SPLITS, TYPES
from bendtorch.laws.law import LAYER, Law
from bendtorch.laws.losses import OF_LOSSES
from bendtorch.laws.named import NAMED
from bendtorch.laws.parameters import CONCATENATES, COUNTS, RESTORES
from bendtorch.laws.rows import ROWS
from bendtorch.laws.sidewise import SIDEWISE
from bendtorch.laws.states import STATES
from bendtorch.laws.steps import STEPS
from bendtorch.laws.windows import WINDOWS
from bendtorch.laws.wiring import ARITHMETIC, WIRING


@dataclass(frozen=True)
class Elsewhere:
    """A law that no call of `check` can judge: why, and where it is judged."""

    number: str
    name: str
    statement: str
    why: str
    where: str


def place_of(number: str) -> int:
    """The order of a number: L9 comes before L10."""
    return int(number.removeprefix("L"))


EXPLAINED: Final = replace(DIFFERENCES, explain=diagnosed)
GRADIENTS: Final = (LINEAR, TYPES, ADJOINT, EXPLAINED, CHAIN_RULE, SPLITS, ACCUMULATES, PURE, SCALES)
PARAMETERS: Final = (RESTORES, CONCATENATES, COUNTS)
COMPOSITION: Final = (*CHAINS, *SIDEWISE, *WIRING)
"""The laws in which any layer can stand: they are those of the combinators."""

LAWS: Final[tuple[Law, ...]] = tuple(
    sorted(
        (
            *COMPOSITION,
            *ARITHMETIC,
            *GRADIENTS,
            *BACKWARD,
            *STEPS,
            *FORMULAS,
            *STATES,
            *PARAMETERS,
            *ROWS,
            *LOOKS,
            *NAMED,
            *WINDOWS,
            *OF_LOSSES,
        ),
        key=lambda law: place_of(law.number),
    )
)
"""Every law that `check` can check, in the order of their numbers."""

ELSEWHERE: Final = (
    Elsewhere(
        "L37",
        "the backward pass is the tape's",
        "the gradients of a layer are those that the tape computes for the same function",
        "a layer does not say the function that it computes in the tape's operations",
        "laws/test_tape.py, for the layers that ship",
    ),
    Elsewhere(
        "L70",
        "decoding is the whole pass",
        "decoding one token at a time with a cache gives the rows of the full forward pass",
        "it is about a model and its cache, which are no layer",
        "tests/generate, for the models that ship",
    ),
)


def chosen(
    subject: str, name: str, only: str | Iterable[str] | None, skip: str | Iterable[str], claims: str | Iterable[str]
) -> tuple[Law, ...]:
    """The laws to check on a layer (or loss, optimizer, clipping) of this name.

    Those of everything and those of its name, and what it claims, but for what is skipped; or those in `only`. Raises
    `ConfigError` for a number that no law has, and when no law is left.
    """
    wanted, unwanted = _numbers("only", () if only is None else only), _numbers("skip", skip)
    claimed = _numbers("claims", claims)
    there = [law for law in LAWS if subject in law.subjects]
    known = [law.number for law in there]
    for number in (*wanted, *unwanted, *claimed):
        if number not in known:
            raise ConfigError(_unknown(number, subject, known))
    if only is not None:
        own = [law for law in there if law.number in wanted]
    else:
        own = [law for law in there if not law.of or name in law.of or law.number in claimed]
    left = tuple(law for law in own if law.number not in unwanted)
    if not left:
        asked = f"only={wanted}, skip={unwanted}" if only is not None else f"skip={unwanted}"
        raise ConfigError(f"laws: no law is left to check on {name} ({subject}; {asked}); name one with only=...")
    return left


def _numbers(option: str, given: object) -> list[str]:
    """The numbers that an option names."""
    numbers: list[object] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    named = [number for number in numbers if isinstance(number, str)]
    if len(named) < len(numbers):
        raise ConfigError(f'laws: {option}: expected a law\'s number like "L27", or several in a list, got {given!r}')
    return named


def _unknown(number: str, subject: str, known: list[str]) -> str:
    """What to say of a number that is not there."""
    for apart in ELSEWHERE:
        if apart.number == number:
            return f"laws: {number} cannot be checked here, because {apart.why}; see {apart.where}"
    other = next((law for law in LAWS if law.number == number), None)
    if other is not None:
        return f"laws: {number} is a law of {' and '.join(other.subjects)}, not of a {subject}"
    return f"laws: there is no law {number!r} to check on a {subject}; there are {', '.join(known)}"


def shown_numbers(numbers: Iterable[str]) -> str:
    """Numbers as they are written in a docstring: `L24, L25, L31 to L33`."""
    places = sorted({place_of(number) for number in numbers})
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    parts = [f"L{run[0]} to L{run[-1]}" if len(run) > 2 else ", ".join(f"L{place}" for place in run) for run in runs]
    return ", ".join(parts)


def laws_of(name: str, subject: str = LAYER) -> tuple[str, ...]:
    """The numbers of the laws that are checked on a layer of this name by default."""
    return tuple(law.number for law in chosen(subject, name, None, (), ()))
