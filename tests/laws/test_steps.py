"""One step of an optimizer: each law finds what breaks it."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L38", "L39", "L40", "L41", "L44")
