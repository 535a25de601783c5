"""The laws of chains find combinators that break them."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L1", "L2", "L3", "L4", "L5", "L19", "L20", "L21", "L23", "L30")
