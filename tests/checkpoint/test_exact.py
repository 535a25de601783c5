"""Numbers as text that keeps every bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.checkpoint import exact_text, from_exact_text
from bendtorch.errors import DtypeError
from tests.support.arrays import same_bits, special_numbers
from tests.support.sizes import rows, seeds, widths


def test_the_words_are_the_bits() -> None:
    assert exact_text("w", np.array([[1, -1], [0, -0.0]], np.float32)) == "w 1065353216 3212836864 0 2147483648"
    assert exact_text("loss", np.float32(2)) == "loss 1073741824"
    assert exact_text("none", np.empty((0, 3), np.float32)) == "none"


@given(seed=seeds, n=rows, c=widths)
def test_every_bit_comes_back(seed: int, n: int, c: int) -> None:
    x = special_numbers(seed, n, c)
    name, flat = from_exact_text(exact_text("x", x))
    assert name == "x"
    assert same_bits(flat, x.reshape(-1))
    assert exact_text("x", np.asfortranarray(x)) == exact_text("x", x)


@pytest.mark.parametrize("line", ["w 1.5", "w -1", "w 4294967296", "w 1  2"])
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(DtypeError, match="w is not followed by numbers from 0 to 2\\^32 - 1"):
        from_exact_text(line)


def test_other_types_are_refused() -> None:
    wrong: Any = np.zeros(3)
    with pytest.raises(DtypeError, match="w must be float32, got float64"):
        exact_text("w", wrong)
