"""Every law that applies, on everything that ships; the laws in which any layer can stand, on every layer."""

from __future__ import annotations

import os
from typing import Final

import pytest

from bendtorch import combine, layers, losses, optim
from bendtorch.laws import COMPOSITION, LAWS, check, examine
from bendtorch.laws.catalogue import shown_numbers
from bendtorch.optim.config import OPTIMIZERS as KINDS
from laws.registry import COMBINATORS, LAYERS, LOSSES, OPTIMIZERS, VARIANTS, WEIGHTED, Entry, of
from laws.written import AGAIN, entries, listed

CASES: Final = int(os.environ.get("BENDTORCH_LAW_CASES", "150"))
EACH: Final = max(CASES // 25, 1)  # of the laws of composition, on each of the layers

STANDING: Final = {**LAYERS, **COMBINATORS}
ALL: Final = {**STANDING, **VARIANTS, **LOSSES, **WEIGHTED, **OPTIMIZERS}


@pytest.mark.parametrize("name", ALL)
def test_every_law_holds_and_the_docstring_lists_those_that_do(name: str) -> None:
    report = check(ALL[name].maker, skip=ALL[name].exempt, cases=CASES)
    if name in entries():
        assert listed(getattr(of, name)) == shown_numbers(report.applied), AGAIN


@pytest.mark.parametrize("entry", STANDING.values(), ids=STANDING)
def test_it_stands_in_every_composite(entry: Entry) -> None:
    check(entry.maker, only=[law.number for law in COMPOSITION], cases=EACH)


@pytest.mark.parametrize("entry", [entry for entry in ALL.values() if entry.exempt])
def test_exemptions_are_needed(entry: Entry) -> None:
    broken = {failure.law.number for failure in examine(entry.maker, only=entry.exempt).failures}
    assert broken == set(entry.exempt)


def test_nothing_is_missing() -> None:
    functions = {name for name in layers.__all__ if callable(getattr(layers, name))}
    made = {name for name in functions if not isinstance(getattr(layers, name), type)}
    assert set(LAYERS) == made
    assert set(COMBINATORS) == set(combine.__all__)
    assert {name for name in losses.__all__ if not isinstance(getattr(losses, name), type)} <= set(LOSSES)
    made = {name for name in optim.__all__ if isinstance(getattr(optim, name), type)}
    stepping = {name for name in made if issubclass(getattr(optim, name), (*KINDS, optim.ClipNorm, optim.ClipValue))}
    assert stepping <= set(OPTIMIZERS)
    for kind in (LAYERS, COMBINATORS, VARIANTS):
        assert list(kind) == sorted(kind)


def test_every_law_is_compared_somewhere() -> None:
    """The docstrings list what was compared; the rest must be on a variant."""
    listed_laws = {f"L{place}" for name in entries() for place in _places(listed(getattr(of, name)))}
    rest = {law.number for law in LAWS} - listed_laws
    assert len(rest) <= 3
    seen = [examine(entry.maker, claims=rest, only=rest, cases=10).applied for entry in VARIANTS.values()]
    assert {number for applied in seen for number in applied} == rest


def _places(text: str) -> set[int]:
    """The numbers in a list like `L1, L24 to L27`."""
    places: set[int] = set()
    for part in filter(None, text.removeprefix("Laws: ").split(", ")):
        ends = [int(end.removeprefix("L")) for end in part.split(" to ")]
        places |= set(range(ends[0], ends[-1] + 1))
    return places
