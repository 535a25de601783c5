"""The laws of losses find wrong means, derivatives and shifts."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L31 of a loss", "L36", "L54")
