"""The laws of layers that have a name find what breaks them."""

from __future__ import annotations

from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L62", "L63", "L64", "L65", "L66")
test_each_part_finds_its_fault = finds("L62 of pairs", "L63 of padding", "L65 of steps", faults=PARTS)
