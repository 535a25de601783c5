"""The law of windows finds what breaks it, in pools as well."""

from __future__ import annotations

from bendtorch.laws.windows import Slide
from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L68")
test_each_part_finds_its_fault = finds("L68 of weights", "L68 of pools", faults=PARTS)


def test_the_windows_that_are_inside() -> None:
    """Five cells with one of padding: windows of three start at -1, 1 and 3."""
    slide = Slide(size=5, side=3, stride=2, padding=1)
    assert (slide.count, slide.inside, slide.is_symmetric) == (3, [1], True)
    assert not Slide(size=6, side=3, stride=2, padding=1).is_symmetric
