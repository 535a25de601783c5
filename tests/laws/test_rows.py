"""The laws of rows find layers that mix them, or see what they should not."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L52", "L53", "L55", "L56", "L67")
