"""Derivatives along a direction find a wrong gradient, and a wrong chain."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L26", "L28")
