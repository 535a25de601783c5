"""LinearFirst: the checks of every layer; Linear in all but its input gradient."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from bendtorch.layers import Linear, LinearFirst
from tests.support import references
from tests.support.arrays import all_same_bits, numbers, same_bits
from tests.support.layers import check_layer
from tests.support.params import random_like
from tests.support.sizes import rows, seeds, widths

test_linear_first = check_layer(LinearFirst, 2, references.LINEAR_FIRST)


@given(n=rows, i=widths, o=widths, seed=seeds)
def test_is_linear_but_for_dx(n: int, i: int, o: int, seed: int) -> None:
    first, linear = LinearFirst(n, i, o), Linear(n, i, o)
    p, x, dy = random_like(linear, seed), numbers(seed, n, i), numbers(seed + 1, n, o)
    one, two = first.fwd(p, x), linear.fwd(p, x)
    assert same_bits(one.y, two.y)
    assert all_same_bits(first.bwd(p, one.s, dy, first.zeros()).g, linear.bwd(p, two.s, dy, linear.zeros()).g)


def test_dx_takes_no_memory_and_cannot_be_written() -> None:
    layer = LinearFirst(1000, 1000, 1)
    p = layer.zeros()
    dx = layer.bwd(p, layer.fwd(p, np.ones((1000, 1000), np.float32)).s, np.ones((1000, 1), np.float32), p).dx
    assert dx.strides == (0, 0)
    assert not dx.flags.writeable
    assert not dx.any()
