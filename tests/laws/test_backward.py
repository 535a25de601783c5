"""Linear layers, recomputation, shapes and threads: each law finds what breaks it."""

from __future__ import annotations

from tests.support.broken import finds
from tests.support.broken_parts import PARTS

test_each_finds_its_fault = finds("L29", "L34", "L51", "L69")
test_each_part_finds_its_fault = finds("L51 of ids", "L51 of saved places", faults=PARTS)
