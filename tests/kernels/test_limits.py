"""The kernels that keep the machine busy compute what they say, so that no compiler has left them out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.kernels import limits
from bendtorch.kernels.compile import JIT
from tests.support.threads import at_every_count

HALF = np.float32(0.5)


@pytest.mark.skipif(not JIT, reason="chains are machine code")
@pytest.mark.parametrize("wide", [False, True])
def test_the_chains_converge_in_every_chunk(wide: bool) -> None:
    out = np.zeros(5, np.float32)
    limits.multiply_add(wide, 1, HALF, out)
    starts = np.arange(1, limits.CHAINS + 1) * 0.5  # x, 2x, 3x, …
    np.testing.assert_allclose(out, (starts * 0.5 + 0.5).sum(), rtol=1e-6)
    limits.multiply_add(wide, 100, HALF, out)
    np.testing.assert_array_equal(out, limits.CHAINS)  # a = a/2 + 1/2 comes to 1


@pytest.mark.parametrize("size", [0, 1, limits.CHUNK, limits.CHUNK + 1])
def test_an_array_is_read_to_its_end(size: int) -> None:
    assert limits.read(np.ones(size, np.float32)) == size


@pytest.mark.parametrize("size", [0, 1, limits.CHUNK + 1])
def test_the_triad_reaches_every_number(size: int) -> None:
    b, c = np.arange(size, dtype=np.float32), np.full(size, 2, np.float32)

    def run() -> Any:
        a = np.zeros(size, np.float32)
        limits.triad(b, c, HALF, a)
        return a

    for a in at_every_count(run):
        np.testing.assert_array_equal(a, b + 1)
