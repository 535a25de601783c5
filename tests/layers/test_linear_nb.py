"""LinearNB: the checks of every layer; Linear without its bias; L64."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from bendtorch.keys import Key
from bendtorch.layers import Lin, Linear, LinearNB
from tests.support import references
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import rows, seeds, widths

test_linear_nb = check_layer(LinearNB, 2, references.LINEAR_NB)


@given(n=rows, i=widths, o=widths, seed=seeds)
def test_is_linear_with_a_zero_bias(n: int, i: int, o: int, seed: int) -> None:
    weight, x, dy = numbers(seed, o, i), numbers(seed + 1, n, i), numbers(seed + 2, n, o)
    plain, biased = LinearNB(n, i, o), Linear(n, i, o)
    p = Lin(weight, np.zeros((1, o), np.float32))
    one, two = plain.fwd(weight, x), biased.fwd(p, x)
    assert np.array_equal(one.y, two.y)  # but for the sign of a zero
    back, biased_back = plain.bwd(weight, one.s, dy, plain.zeros()), biased.bwd(p, two.s, dy, biased.zeros())
    assert same_bits(back.dx, biased_back.dx)
    assert same_bits(back.g, biased_back.g.weight)


@given(n=rows, i=widths, h=widths, o=widths, seed=seeds)
def test_two_are_one_of_the_product(n: int, i: int, h: int, o: int, seed: int) -> None:
    a, b, x = numbers(seed, h, i), numbers(seed + 1, o, h), numbers(seed + 2, n, i)
    two = (LinearNB(n, i, h) >> LinearNB(n, h, o)).fwd((a, b), x).y
    exact = x.astype(np.float64) @ (b.astype(np.float64) @ a.astype(np.float64)).T
    magnitude = np.abs(x).astype(np.float64) @ (np.abs(b).astype(np.float64) @ np.abs(a).astype(np.float64)).T
    assert np.all(np.abs(two - exact) <= (i + h + 4) * 2.0**-24 * magnitude + 1e-40)


def test_starts_within_pytorchs_bound() -> None:
    weight = LinearNB(1, 400, 50).init(Key(0))
    assert np.all(np.abs(weight) <= 1 / 20)
    assert np.abs(weight).max() > 0.9 / 20
