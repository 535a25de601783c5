"""The laws of wiring and arithmetic find what breaks them."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L12", "L13", "L14", "L15", "L17", "L18")
