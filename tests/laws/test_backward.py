"""Linear layers, recomputation, shapes and threads: each law finds what breaks it."""

from __future__ import annotations

from tests.support.broken import finds

test_each_finds_its_fault = finds("L29", "L34", "L51", "L69")
