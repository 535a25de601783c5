"""bfloat16: every value read back exactly, every float32 rounded to the nearest, ties to even."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given

from bendtorch.kernels.bfloat16 import from_bfloat16, to_bfloat16
from bendtorch.kernels.compile import kernel
from tests.support.arrays import same_bits, special_numbers
from tests.support.bfloat16 import rounded, widened
from tests.support.sizes import seeds, shrunk


@kernel
def narrow(x: Any, out: Any) -> None:
    for i in range(x.size):
        out[i] = to_bfloat16(x[i])


@kernel
def widen(x: Any, out: Any) -> None:
    for i in range(x.size):
        out[i] = from_bfloat16(x[i])


def narrowed(x: Any) -> Any:
    out = np.empty(x.size, np.uint16)
    narrow(x, out)
    return out


def test_every_bfloat16_is_itself() -> None:
    every = np.arange(0, 2**16, shrunk(1, 97)).astype(np.uint16)
    out = np.empty(every.size, np.float32)
    widen(every, out)
    assert np.array_equal(out.view(np.uint32), every.astype(np.uint32) << 16)
    back, is_nan = narrowed(out), np.isnan(out)
    assert np.array_equal(back[~is_nan], every[~is_nan])
    assert np.all(back[is_nan] == 0xFFFF)


def test_numbers_around_every_tie() -> None:
    """The float32 half-way between neighbours, and those next to it."""
    upper = np.arange(0, 2**16, shrunk(1, 97)).astype(np.uint32) << 16
    for low in (0x0001, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
        x = (upper | np.uint32(low)).view(np.float32)
        x = x[np.isfinite(x)]
        assert same_bits(widened(narrowed(x)), rounded(x))


@given(seed=seeds)
def test_any_number(seed: int) -> None:
    x = special_numbers(seed, 1, 64).reshape(-1)
    is_nan = np.isnan(x)
    out = narrowed(x)
    assert np.all(out[is_nan] == 0xFFFF)
    assert same_bits(widened(out[~is_nan]), rounded(x[~is_nan]))
