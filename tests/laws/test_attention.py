"""Each law of attention finds a layer that breaks it."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L57", "L58", "L59", "L60", "L61")
