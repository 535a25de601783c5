"""Random programs: fused, each operation by itself, and in float64."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ShapeError
from bendtorch.grad.lazy import Lazy, Op, apply, force, leaf, sum_to, value
from bendtorch.kernels.block_ops import arity
from tests.support.arrays import numbers, same_numbers, special_numbers
from tests.support.shapes import broadcasting, shapes, smaller

OPS: Final = [op for op in Op if op >= Op.COPY]
seeds: Final = st.integers(0, 10_000)


def program(shape: tuple[int, ...], seed: int, special: bool, *, apart: bool) -> list[Lazy]:
    """Some expressions that share parts; with `apart`, everything is forced as soon as it is recorded."""
    rng = np.random.default_rng(seed)
    make = special_numbers if special else numbers
    known = [leaf(make(seed + i, *s)) for i, s in enumerate([shape, *broadcasting(shape, seed)])]
    for _ in range(int(rng.integers(1, 14))):
        op = OPS[int(rng.integers(len(OPS)))]
        args = [known[int(rng.integers(len(known)))] for _ in range(arity(op))]
        try:
            np.broadcast_shapes(*(x.shape for x in args))
        except ValueError:
            continue
        node = apply(op, *args)
        if rng.random() < 0.2:
            node = sum_to(node, smaller(node.shape, rng))
        if apart:
            value(node)
        known.append(node)
    return known


@given(shape=shapes, seed=seeds, special=st.booleans())
def test_the_same_bits_as_each_operation_by_itself(shape: tuple[int, ...], seed: int, special: bool) -> None:
    together, apart = (program(shape, seed, special, apart=apart) for apart in (False, True))
    rng = np.random.default_rng(seed)
    chosen = [i for i in range(len(together)) if rng.random() < 0.4]
    found = force(*(together[i] for i in chosen))
    for i, array in zip(chosen, found, strict=True):
        assert array.shape == apart[i].shape
        assert array.flags.c_contiguous
        assert same_numbers(array, value(apart[i]))
    for node, other in zip(together, apart, strict=True):
        assert same_numbers(value(node), value(other))


def test_an_array_that_was_made_shorter_is_not_read() -> None:
    x = numbers(0, 300)
    y = apply(Op.NEG, leaf(x))
    x.resize(200, refcheck=False)
    with pytest.raises(ShapeError, match="expected 300 float32 numbers in C order"):
        value(y)
