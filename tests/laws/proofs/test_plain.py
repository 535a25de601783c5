"""Plain functions are the sources of the compiled ones, and call each other."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import attention_grid, parallel, products
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


@given(st.integers(0, 99), st.integers(1, 9), st.integers(0, 9))
def test_it_gives_the_same_compiled(size: int, chunk: int, number: int) -> None:
    assert OF.parallel.chunks_of(size, chunk) == parallel.chunks_of(size, chunk)
    assert OF.parallel.chunk_bounds(number, chunk, size) == parallel.chunk_bounds(number, chunk, size)
    heads = attention_grid.Heads(chunk, size, 2, 3, 4, True, number)
    assert OF.attention_grid.place_of(0, number % 6, 0, size, heads) == attention_grid.place_of(
        0, number % 6, 0, size, heads
    )
