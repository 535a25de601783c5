"""The laws of layers side by side find combinators that break them."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L6", "L7", "L8", "L9", "L10", "L11", "L16", "L22")
