"""Grids of tiles: a number that is computed twice, or never, is found."""

from __future__ import annotations

import pytest

pytest.importorskip("z3", reason="the index laws are proved by z3")

from bendtorch.laws.proofs.tiles import THEOREMS
from tests.support.planted_kernels import IndexFault, check_refuted, faults


@faults(
    IndexFault("parallel", "chunks_of", "size + chunk - 1", "size", "Grid chunks", "a place's chunk is there"),
    IndexFault(
        "parallel", "chunks_of", "size + chunk - 1", "size + chunk", "Grid chunks", "a chunk's bounds are in the array"
    ),
    IndexFault(
        "parallel",
        "chunk_bounds",
        "(number + 1) * chunk, size",
        "(number + 1) * chunk + 1, size",
        "Grid chunks",
        "longer",
    ),
    IndexFault(
        "parallel",
        "chunk_bounds",
        "number * chunk, min",
        "number * chunk + 1, min",
        "Grid chunks",
        "not empty: not so for",
    ),
    IndexFault(
        "products",
        "tile_bounds",
        "tile // across * rows",
        "tile % across * rows",
        "Grid every number",
        "the number is in it",
    ),
    IndexFault(
        "products", "tile_bounds", "min(rows, m - i)", "rows", "Grid every number", "it is in the product: not so for"
    ),
    IndexFault(
        "products", "_half", "(side + 1) // 2", "side", "Grid the halving", "the sides stay above 0, and grow no longer"
    ),
    IndexFault(
        "row_runs",
        "runs_of_rows",
        "-(-n // ROWS)",
        "n // ROWS",
        "Grid runs",
        "runs of rows, and their chunks: 0 is not 1",
    ),
    IndexFault(
        "windows",
        "windows_inside",
        "size - 1 - offset",
        "size - offset",
        "Grid the windows",
        "a window is inside when its cell",
    ),
    IndexFault(
        "windows", "windows_inside", "max(-offset, 0)", "-offset", "Grid the windows", "windows inside are windows"
    ),
)
def test_a_fault_is_refuted(fault: IndexFault) -> None:
    check_refuted(fault, THEOREMS)
