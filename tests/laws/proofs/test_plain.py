"""Plain functions are the sources of the compiled ones, and call each other."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import products
from bendtorch.laws.proofs.plain import MODULES, plain_kernels

OF = plain_kernels()


def source(function: Any) -> Any:
    return getattr(function, "py_func", function)


def test_the_code_is_the_shipped_one() -> None:
    assert OF.products.tile_bounds.__code__ is source(products.tile_bounds).__code__
    assert OF.products.tile_bounds.__globals__ is vars(OF.products)
    assert isinstance(OF.products.chunks_of, FunctionType)
    assert OF.products.chunks_of.__globals__ is vars(OF.parallel)
    assert all(hasattr(OF, name) for name in MODULES)


@given(st.integers(0, 99), st.integers(1, 9))
def test_it_is_called_as_any_function(size: int, chunk: int) -> None:
    bounds = [OF.parallel.chunk_bounds(number, chunk, size) for number in range(OF.parallel.chunks_of(size, chunk))]
    assert [i for low, high in bounds for i in range(low, high)] == list(range(size))
    tile = OF.attention_grid.place_of(0, 4, 0, size, OF.attention_grid.Heads(chunk, size, 2, 3, 4, True, 0))
    assert (tile.reads, tile.low, tile.high, tile.n) == (1, 0, chunk, min(chunk, size))
