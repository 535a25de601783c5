"""The laws of losses find wrong means, derivatives and shifts."""

from __future__ import annotations

from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L31 of a loss", "L36", "L54")
test_each_part_finds_its_fault = finds("L54 of sure answers", faults=PARTS)
