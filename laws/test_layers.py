"""The laws that hold of any layer, on every layer that ships: L24, L25, L27, L31 to L33, L35, L46 to L48."""

from __future__ import annotations

import pytest

from bendtorch import combine, layers
from bendtorch.laws import check, examine
from laws.registry import COMBINATORS, LAYERS, Entry

ALL = {**LAYERS, **COMBINATORS}


@pytest.mark.parametrize("entry", ALL.values(), ids=ALL)
def test_every_law_holds(entry: Entry) -> None:
    check(entry.maker, skip=entry.exempt)


@pytest.mark.parametrize("entry", [entry for entry in ALL.values() if entry.exempt])
def test_exemptions_are_needed(entry: Entry) -> None:
    broken = {failure.law.number for failure in examine(entry.maker, only=entry.exempt).failures}
    assert broken == set(entry.exempt)


def test_no_layer_is_missing() -> None:
    functions = {name for name in layers.__all__ if callable(getattr(layers, name))}
    made = {name for name in functions if not isinstance(getattr(layers, name), type)}
    assert set(LAYERS) == made
    assert set(COMBINATORS) == set(combine.__all__)
    assert list(LAYERS) == sorted(LAYERS)
    assert list(COMBINATORS) == sorted(COMBINATORS)
