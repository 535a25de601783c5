"""What is remembered between steps: each law finds what breaks it."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L42", "L43", "L45", "L49", "L50")
