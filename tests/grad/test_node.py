"""Nodes: what they are shown as, what they keep, and which arrays may be values."""

from __future__ import annotations

import numpy as np
import pytest

from bendtorch.errors import DtypeError
from bendtorch.grad.lazy import Op, apply, leaf
from bendtorch.grad.node import in_order
from tests.support.arrays import LAYOUTS, WRONG_TYPES, numbers, same_bits


def test_a_node_says_what_it_is() -> None:
    assert repr(apply(Op.NEG, leaf(numbers(0, 3, 4)))) == "Lazy(NEG, shape=(3, 4))"


def test_an_array_in_order_is_taken_as_it_is() -> None:
    x = numbers(0, 3, 4)
    assert in_order(x, "x") is x
    assert leaf(x).value is x


@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_other_layout_is_copied(layout: str) -> None:
    x = numbers(0, 3, 4)
    found = in_order(LAYOUTS[layout](x), "x")
    assert same_bits(found, x)
    assert type(found) is np.ndarray
    assert found.flags.c_contiguous


@pytest.mark.parametrize("kind", WRONG_TYPES)
def test_other_types_are_refused(kind: str) -> None:
    with pytest.raises(DtypeError, match="leaf: expected a float32 numpy array, got"):
        leaf(np.ones(3).astype(kind))


def test_what_is_no_array_is_refused() -> None:
    with pytest.raises(DtypeError, match="got float"):
        in_order(3.0, "x")
    assert in_order(np.float32(3), "x").shape == ()
