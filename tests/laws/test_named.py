"""The laws of layers that have a name find what breaks them."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L62", "L63", "L64", "L65", "L66", "L68")
