"""Each law of attention finds a layer that breaks it."""

from __future__ import annotations

from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L57", "L58", "L59", "L60", "L61")
test_each_part_finds_its_fault = finds("L61 of what is not finite", faults=PARTS)
