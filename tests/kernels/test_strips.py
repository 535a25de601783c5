"""Strips of products without packing, and transposed panels."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels import panels, strips
from bendtorch.kernels.blocking import OWN
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.strips import SIDE
from tests.support.arrays import numbers, same_bits
from tests.support.kernels import compiled
from tests.support.process import run_python
from tests.support.references import product
from tests.support.sizes import seeds

PANEL, PART = panels.panel, panels.part
ROWS_OF, COLUMNS_OF = strips.rows_of, strips.columns_of
STRIP, TURN, WHOLE = strips.strip, strips.turn, strips.whole
HEIGHT: Any = strips.height_of


@compiled
def height(left: int) -> int:
    rows: int = HEIGHT(left)
    return rows


@compiled
def whole(count: int) -> int:
    return WHOLE(count)


@compiled
def multiplied(a: Any, as_rows: bool, b: Any, rows: int, columns: int, c: Any, add: int) -> None:
    """All rows of c, strip by strip."""
    i = 0
    while i < rows:
        strip_rows = HEIGHT(rows - i)
        factor = ROWS_OF(PART(PANEL(a), i, 0)) if as_rows else COLUMNS_OF(PART(PANEL(a), 0, i))
        k = a.shape[1] if as_rows else a.shape[0]
        STRIP(factor, PANEL(b), strip_rows, columns, k, PART(PANEL(c), i, 0), add)
        i += strip_rows


@compiled
def transposed(x: Any, out: Any) -> None:
    TURN(PANEL(x), x.shape[0], x.shape[1], PANEL(out))


@given(rows=st.integers(1, 35), columns=st.integers(1, 70), k=st.sampled_from([1, 5, 64, 257, 600]), seed=seeds)
@pytest.mark.parametrize("as_rows", [False, True])
@pytest.mark.parametrize("add", [0, 1])
def test_strips(add: int, as_rows: bool, rows: int, columns: int, k: int, seed: int) -> None:
    """Nothing beside c is written, and what stands behind b's columns does not count."""
    a, b = numbers(seed, k, rows), np.full((k, whole(columns)), np.nan, np.float32)
    b[:, :columns] = numbers(seed + 1, k, columns)
    c = numbers(seed + 2, rows + 1, columns + 3)
    before = c.copy()
    multiplied(np.ascontiguousarray(a.T) if as_rows else a, as_rows, b, rows, columns, c, add)
    exact = product(a.T.astype("f8"), b[:, :columns].astype("f8"), more=2)
    start = add * before[:rows, :columns].astype("f8")
    assert np.all(np.abs(c[:rows, :columns] - start - exact.value) <= exact.bound + 2.0**-22 * np.abs(start))
    assert same_bits(c[rows:], before[rows:])
    assert same_bits(c[:, columns:], before[:, columns:])


@pytest.mark.skipif(sys.platform == "win32", reason="mprotect is POSIX's")
def test_nothing_behind_the_room_of_b_is_read() -> None:
    """The next page of memory may not be touched: who does is stopped."""
    text = """if True:
        import numpy as np
        from tests.kernels.test_strips import multiplied, whole
        from tests.support.guarded import guarded
        for columns in range(1, 71):
            b = guarded(np.ones((3, whole(columns)), "f4"))
            for rows in (1, 14):
                multiplied(np.ones((3, rows), "f4"), False, b, rows, columns, np.zeros((rows, columns), "f4"), 0)
        print("untouched")
    """
    assert run_python(text) == "untouched\n"


@pytest.mark.skipif(not OWN, reason="OpenBLAS's sums depend on sizes")
@given(rows=st.integers(1, 40), first=st.integers(0, 39), k=st.sampled_from([3, 64, 300]), seed=seeds)
def test_bits_do_not_depend_on_where_strips_begin(rows: int, first: int, k: int, seed: int) -> None:
    a, b = numbers(seed, k, rows), numbers(seed + 1, k, 32)
    first %= rows
    everything, part = np.zeros((rows, 32), np.float32), np.zeros((rows - first, 32), np.float32)
    multiplied(a, False, b, rows, 32, everything, 0)
    multiplied(np.ascontiguousarray(a[:, first:]), False, b, rows - first, 32, part, 0)
    assert same_bits(part, everything[first:])


@given(rows=st.integers(1, 40), width=st.integers(1, 40), seed=seeds)
def test_a_transposed_panel(rows: int, width: int, seed: int) -> None:
    """Beside it, up to whole blocks, are finite numbers; beyond these nothing is written."""
    x, out = numbers(seed, rows, width), np.full((whole(width) + 1, whole(rows) + SIDE), np.nan, np.float32)
    transposed(x, out)
    assert same_bits(out[:width, :rows], np.ascontiguousarray(x.T))
    assert np.isnan(out[whole(width) :]).all()
    assert np.isnan(out[:, whole(rows) :]).all()


@given(st.integers(1, 200))
def test_strips_cover_the_rows(rows: int) -> None:
    left = rows
    while left:
        assert 1 <= height(left) <= left
        left -= height(left)
    assert rows <= whole(rows) < rows + SIDE
    assert whole(rows) % SIDE == 0


@pytest.mark.skipif(not JIT, reason="there is no compiler to fail")
def test_without_tiles_of_our_own_openblas_does_it(tmp_path: Any) -> None:
    """As `gemm`: whatever goes wrong with the compiler."""
    text = """if True:
        import warnings
        warnings.simplefilter("ignore")
        from bendtorch.kernels import gemm
        def provide(*args):
            raise RuntimeError("no compiler")
        gemm.provide = provide
        import numpy as np
        from bendtorch import Attention
        layer = Attention(2, 40, 1, 2, 20)
        rng = np.random.default_rng(0)
        q, k, v, dy = (rng.standard_normal((80, c), dtype=np.float32) for c in (40, 20, 20, 40))
        f = layer.fwd((), (q, (k, v)))
        dq, (dk, dv) = layer.bwd((), f.s, dy, ()).dx
        np.savez("out.npz", y=f.y, dq=dq, dk=dk, dv=dv)
    """
    environment = os.environ | {"BENDTORCH_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", text], check=True, cwd=tmp_path, env=environment)
    found = np.load(tmp_path / "out.npz")
    assert all(np.isfinite(found[name]).all() and found[name].any() for name in found)
