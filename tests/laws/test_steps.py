"""One step of an optimizer: each law finds what breaks it."""

from __future__ import annotations

from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L38", "L39", "L40", "L44")
test_each_part_finds_its_fault = finds("L39 in groups", faults=PARTS)
