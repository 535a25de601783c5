"""L62: RoPE's rotations. Exact where nothing is rounded differently, else close to the roundings of the tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import RoPE
from bendtorch.shapes.spec import mat_spec
from laws.cases import law, normal, rows, same, seeds

Array = np.ndarray[Any, np.dtype[np.float32]]

ROUNDING = 2.0**-24

rope: Any = RoPE
offsets = st.integers(0, 300)
halves = st.sampled_from([1, 3, 8])
orders = st.booleans()


def matrix(seed: int, n: int, c: int) -> Array:
    """Random numbers."""
    x: Array = normal(mat_spec(n, c), seed)
    return x


def at(position: int, x: Array, interleaved: bool) -> Array:
    """Rows of one head, all at that position."""
    layer = rope(len(x), 1, 1, x.shape[1] // 2, offset=position, interleaved=interleaved)
    y: Array = layer.fwd((), x).y
    return y


@law
@given(rows, halves, seeds, orders)
def test_position_0_is_the_identity(n: int, half: int, seed: int, interleaved: bool) -> None:
    x, layer = matrix(seed, n, 4 * half), rope(n, 1, 2, half, interleaved=interleaved)
    assert same(layer.fwd((), x).y, x)
    assert same(layer.bwd((), (), x, ()).dx, x)


@law
@given(offsets, offsets, halves, seeds, orders)
def test_rotations_add(one: int, two: int, half: int, seed: int, interleaved: bool) -> None:
    x = matrix(seed, 1, 2 * half)
    once, twice = at(one + two, x, interleaved), at(two, at(one, x, interleaved), interleaved)
    assert np.allclose(once, twice, rtol=0, atol=16 * ROUNDING * np.abs(x).max())


@law
@given(rows, st.integers(1, 9), halves, seeds, orders)
def test_norms_are_kept_and_backward_rotates_back(n: int, t: int, half: int, seed: int, interleaved: bool) -> None:
    x, layer = matrix(seed, n * t, 6 * half), rope(n * t, t, 3, half, interleaved=interleaved)
    y = layer.fwd((), x).y
    norms = [np.linalg.norm(a.astype(np.float64).reshape(n * t, 3, 2 * half), axis=-1) for a in (x, y)]
    assert np.allclose(norms[0], norms[1], rtol=8 * ROUNDING)
    back = layer.bwd((), (), y, ()).dx
    assert np.allclose(back, x, rtol=0, atol=16 * ROUNDING * np.abs(x).max(initial=0))


@law
@given(st.integers(0, 50), st.integers(0, 50), offsets, halves, seeds, orders)
def test_products_depend_on_the_distance(m: int, n: int, by: int, half: int, seed: int, interleaved: bool) -> None:
    """⟨R_m q, R_n k⟩ is ⟨R_(m+s) q, R_(n+s) k⟩: what attention sees is how far two positions lie apart."""
    q, k = matrix(seed, 1, 2 * half), matrix(seed + 1, 1, 2 * half)
    turned = [(at(m + s, q, interleaved), at(n + s, k, interleaved)) for s in (0, by)]
    one, two = (float(np.sum(a.astype(np.float64) * b)) for a, b in turned)
    assert abs(one - two) <= 32 * ROUNDING * float(np.linalg.norm(q) * np.linalg.norm(k))
