"""Every operation by itself, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest

from bendtorch.grad.evaluate import FUNCTIONS
from bendtorch.grad.lazy import Op, apply, leaf, value
from bendtorch.kernels.block_ops import arity
from tests.support.arrays import special_numbers


@pytest.mark.parametrize("op", FUNCTIONS, ids=lambda op: op.name)
def test_every_operation(op: Op) -> None:
    args = [special_numbers(i, 5, 7) for i in range(arity(op))]
    found = value(apply(op, *map(leaf, args)))
    with np.errstate(all="ignore"):
        assert np.array_equal(found, np.asarray(FUNCTIONS[op](*args), np.float32), equal_nan=True)
