"""Cores on whole numbers, where every sum is exact: the formulas, and that gradients are added."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.rewrite.cores import gated_core, guard_saved, products_core
from tests.support.arrays import numbers
from tests.support.sizes import rows, seeds, widths

NEST = ((), ((), ()))


def whole(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


@given(n=rows, i=widths, seed=seeds)
def test_products_of_one_input(n: int, i: int, seed: int) -> None:
    outs = (2, 1, 4)
    core = products_core(n, i, outs, NEST, "products")
    ws, x = [whole(seed + o, o, i) for o in outs], whole(seed, n, i)
    (one, (two, three)), s = core.fwd(ws, x)
    for y, w in zip((one, two, three), ws, strict=True):
        assert np.array_equal(y, x @ w.T)  # whatever the signs of zeros
    dys, gs = [whole(seed + 9 + o, n, o) for o in outs], [np.ones((o, i), np.float32) for o in outs]
    dx = core.bwd(ws, x, s, (dys[0], (dys[1], dys[2])), gs)
    assert np.array_equal(dx, sum(dy @ w for dy, w in zip(dys, ws, strict=True)))
    for g, dy in zip(gs, dys, strict=True):
        assert np.array_equal(g, 1 + dy.T @ x)


@given(n=rows, i=widths, seed=seeds)
def test_a_gate_of_zeros(n: int, i: int, seed: int) -> None:
    """silu(0) = 0 and silu'(0) = 1/2: of zero weights before the gate, only those have a gradient."""
    f, o = 3, 2
    core = gated_core(n, i, f, o, "gated")
    w1, w3, w2 = np.zeros((f, i), np.float32), whole(seed, f, i), whole(seed + 1, o, f)
    x, dy = whole(seed + 2, n, i), whole(seed + 3, n, o)
    y, s = core.fwd((w1, (), w3, (), w2), x)
    assert not y.any()
    g1, g3, g2 = (np.zeros_like(w) for w in (w1, w3, w2))
    dx = core.bwd((w1, (), w3, (), w2), x, s, dy, (g1, (), g3, (), g2))
    assert not dx.any()
    assert not g3.any()
    assert not g2.any()
    assert np.array_equal(g1, ((dy @ w2) * (x @ w3.T) / 2).T @ x)


def test_saved_values_are_a_tuple() -> None:
    guard_saved((1, 2), 2, "layer")
    with pytest.raises(ShapeError, match="the saved values must be a tuple of 2, got a tuple of 1"):
        guard_saved((1,), 2, "layer")
    with pytest.raises(DtypeError, match="the saved values"):
        guard_saved(numbers(0, 2, 2), 2, "layer")
