"""Where kernels take their indices: whatever else is done with a chunk's number, or a task's array, is found."""

from __future__ import annotations

import ast

import pytest

from bendtorch.laws.proofs.taken import THEOREMS, bodies, strange_places, strange_uses

SOURCE = """
def _body(chunk, x, y):
    {}

def over_all(x, y):
    parallel_for(_body, chunks_of(x.size, CHUNK), (x, y))
"""


@pytest.mark.parametrize(
    ("line", "strange"),
    [
        ("low, high = chunk_bounds(chunk, CHUNK, x.size)", []),
        ("y[chunk] = total(x)", []),
        ("space = room_at(chunk, size, start)", []),
        ("row, column = chunk // across, chunk % across", []),
        ("low = chunk * CHUNK", ["`chunk * CHUNK`"]),
        ("high = (chunk + 1) * CHUNK", ["`chunk + 1`"]),
        ("y[0] = x[chunk + 1]", ["`chunk + 1`"]),
        ("if chunk == 0:\n        y[0] = 1", ["`chunk == 0`"]),
        ("first = chunk", ["`first = chunk`"]),
    ],
)
def test_uses_of_a_chunks_number(line: str, strange: list[str]) -> None:
    (body,) = bodies(ast.parse(SOURCE.format(line)))
    assert body.name == "_body"
    assert strange_uses(body) == strange


def test_places_of_a_tasks_arrays() -> None:
    assert strange_places(ast.parse("a = query_panel(task.q, place, heads)\nb = part(task.space, 0, 0)")) == []
    assert strange_places(ast.parse("a = part(task.q, 3, 0)")) == ["`task.q`"]


def test_every_kernel_is_read() -> None:
    chunks, panels = (theorem.verdict() for theorem in THEOREMS)
    assert (chunks.proved, panels.proved) == (True, True), f"{chunks}\n{panels}"
    assert chunks.compared >= 40
    assert panels.compared == 2
