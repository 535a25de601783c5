"""The gate's kernels: the bits of SiLU and of a product apart, over several chunks, of special numbers too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import SiLU
from bendtorch.kernels.gate import BLOCK, CHUNK, gate, gate_backward
from tests.support.arrays import numbers, same_bits, same_numbers, special_numbers
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count

SILU: Any = SiLU


def apart(a: Any, b: Any, dh: Any) -> tuple[Any, ...]:
    """h, da, db and h again, by the layer and by numpy's products."""
    layer = SILU(*a.shape)
    with np.errstate(all="ignore"):
        forward = layer.fwd((), a)
        h = forward.y * b
        return h, layer.bwd((), forward.s, dh * b, ()).dx, dh * forward.y, h


def computed(a: Any, b: Any, dh: Any) -> tuple[Any, ...]:
    h, da, db, again = (np.empty_like(a) for _ in range(4))
    with np.errstate(all="ignore"):
        gate(a, b, h)
        gate_backward(dh, a, b, da, db, again)
    return h, da, db, again


@pytest.mark.parametrize("count", [0, 1, shrunk(BLOCK + 1, 9), shrunk(2 * CHUNK + 77, 40)])
def test_the_bits_of_two_passes(count: int) -> None:
    a, b, dh = numbers(0, count, 1, scale=5), numbers(1, count, 1), numbers(2, count, 1)
    for found in at_every_count(lambda: computed(a, b, dh)):
        assert all(map(same_bits, found, apart(a, b, dh)))


def test_special_numbers() -> None:
    a, b, dh = (special_numbers(seed, 40, 9) for seed in range(3))
    assert all(map(same_numbers, computed(a, b, dh), apart(a, b, dh)))
