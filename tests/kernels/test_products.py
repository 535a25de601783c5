"""Products against float64, at the edges of tiles, at any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.kernels.products import (
    ALIGN,
    AS_MANY,
    LEAST_MEAN,
    LEAST_WORK,
    MANY,
    MOST_TILES,
    matmul_nn,
    matmul_nn_add,
    matmul_nt,
    matmul_tn,
    matmul_tn_add,
    tile_bounds,
    tile_shape,
)
from tests.support.arrays import numbers, same_bits
from tests.support.references import product
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import at_every_count

TILE_SHAPE: Any = tile_shape
TILE_BOUNDS: Any = tile_bounds


def operands(kind: str, m: int, n: int, k: int, seed: int) -> tuple[Any, Any]:
    a, b = numbers(seed, m, k), numbers(seed + 1, k, n)
    left = np.ascontiguousarray(a.T) if kind == "tn" else a
    right = np.ascontiguousarray(b.T) if kind == "nt" else b
    return left, right


MULTIPLY: dict[str, Any] = {"nn": matmul_nn, "nt": matmul_nt, "tn": matmul_tn}
ADD: dict[str, Any] = {"nn": matmul_nn_add, "tn": matmul_tn_add}


def computed(kind: str, m: int, n: int, k: int, seed: int) -> Any:
    out = np.full((m, n), np.nan, np.float32)
    MULTIPLY[kind](*operands(kind, m, n, k, seed), out)
    return out


def exact(m: int, n: int, k: int, seed: int) -> Any:
    return product(numbers(seed, m, k).astype(np.float64), numbers(seed + 1, k, n).astype(np.float64))


@pytest.mark.parametrize("kind", MULTIPLY)
@given(m=rows, n=rows, k=widths, seed=seeds)
def test_small_products(kind: str, m: int, n: int, k: int, seed: int) -> None:
    assert exact(m, n, k, seed).holds(computed(kind, m, n, k, seed))


EDGES = shrunk(64, 4)
edge = st.sampled_from([EDGES - 1, EDGES, EDGES + 1, 2 * EDGES, 2 * EDGES + 1, 4 * EDGES + 3])


@pytest.mark.parametrize("kind", MULTIPLY)
@settings(max_examples=25)
@given(m=edge, n=edge, k=st.sampled_from([shrunk(300, 3), shrunk(1023, 4), shrunk(4097, 5)]), seed=seeds)
def test_products_of_several_tiles(kind: str, m: int, n: int, k: int, seed: int) -> None:
    assert exact(m, n, k, seed).holds(computed(kind, m, n, k, seed))


@pytest.mark.parametrize("kind", ADD)
@given(m=rows, n=rows, k=rows, seed=seeds)
def test_adding_has_the_bits_of_a_product_apart(kind: str, m: int, n: int, k: int, seed: int) -> None:
    left, right = operands(kind, m, n, k, seed)
    out = numbers(seed + 2, m, n)
    apart = np.zeros((m, n), np.float32)
    ADD[kind](left, right, apart)
    expected = out + apart
    ADD[kind](left, right, out)
    assert same_bits(out, expected)
    assert exact(m, n, k, seed).holds(apart)


@pytest.mark.parametrize("kind", ADD)
@settings(max_examples=10)
@given(m=edge, n=edge, k=st.sampled_from([shrunk(200, 3), shrunk(1023, 4)]), seed=seeds)
def test_adding_over_several_tiles(kind: str, m: int, n: int, k: int, seed: int) -> None:
    left, right = operands(kind, m, n, k, seed)
    out = numbers(seed + 2, m, n)
    expected = out + computed(kind, m, n, k, seed)
    ADD[kind](left, right, out)
    assert same_bits(out, expected)


@pytest.mark.parametrize("kind", [*MULTIPLY, "tn-add"])
def test_bits_do_not_depend_on_threads(kind: str) -> None:
    """L69, with 2 and with more tiles."""
    for m, n, k in ((130, 70, 200), (700, 650, 640), (33, 2500, 65)):
        m, n, k = shrunk(m, m // 20), shrunk(n, n // 20), shrunk(k, k // 20)  # noqa: PLW2901
        if kind == "tn-add":
            left, right = operands("tn", m, n, k, 0)
            start = numbers(5, m, n)

            def compute(left: Any = left, right: Any = right, start: Any = start) -> Any:
                out = start.copy()
                matmul_tn_add(left, right, out)
                return out

            results = at_every_count(compute)
        else:
            results = at_every_count(lambda m=m, n=n, k=k: computed(kind, m, n, k, 0))  # type: ignore[misc]
            assert exact(m, n, k, 0).holds(results[0])
        assert all(same_bits(results[0], result) for result in results)


sides = st.one_of(st.integers(1, 40), st.integers(1, shrunk(600, 60)))


@given(m=sides, n=sides, k=st.integers(1, 2**22))
def test_tiles_cover_every_cell_once(m: int, n: int, k: int) -> None:
    height, width = TILE_SHAPE(m, n, k)
    tiles = -(-m // height) * -(-n // width)
    covered = np.zeros((m, n), np.int64)
    for tile in range(tiles):
        i, j, tall, wide = TILE_BOUNDS(tile, m, n, height, width)
        assert i >= 0
        assert j >= 0
        assert tall >= 1
        assert wide >= 1
        assert i + tall <= m
        assert j + wide <= n
        covered[i : i + tall, j : j + wide] += 1
    assert np.all(covered == 1)


@given(m=st.integers(1, 10**6), n=st.integers(1, 10**6), k=st.integers(1, 10**6))
def test_tiles_of_any_size(m: int, n: int, k: int) -> None:
    """Few, aligned inside of the matrix, more for more work, and never empty; nothing overflows."""
    height, width = TILE_SHAPE(m, n, k)
    assert 1 <= height <= m
    assert 1 <= width <= n
    assert height == m or height % ALIGN == 0
    assert width == n or width % ALIGN == 0
    tiles = -(-m // height) * -(-n // width)
    work = max(m, AS_MANY) * max(n, AS_MANY) * k
    assert tiles <= 2 * MOST_TILES
    if work < LEAST_WORK:
        assert tiles == 1
    if work >= MANY and max(m, n) >= 256:
        assert tiles >= 2
    if tiles > 2:
        assert 2 * height * width >= LEAST_MEAN * (height + width)
    if min(m, n) >= 4096:
        assert tiles**2 * MANY >= 4 * min(work, MANY * MOST_TILES**2 // 4), "half as many as there should be"


@given(m=st.integers(1, 500), n=st.integers(1, 500), k=st.integers(1, 500))
def test_operand_blocks_are_where_numpy_has_them(m: int, n: int, k: int) -> None:
    """The tile's shape is a function of the sizes alone."""
    assert TILE_SHAPE(m, n, k) == TILE_SHAPE(m, n, k)
    assert TILE_SHAPE(m, n, k)[0] <= m
