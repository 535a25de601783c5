"""Accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import ShapeError
from bendtorch.train import accuracy
from tests.support.arrays import labels, numbers
from tests.support.sizes import seeds, some_rows, widths

ACCURACY: Any = accuracy


@given(n=some_rows, c=widths, seed=seeds)
def test_the_share_of_rows_whose_largest_logit_is_the_label(n: int, c: int, seed: int) -> None:
    y, target = numbers(seed, n, c), labels(seed, n, c)
    right = sum(int(max(range(c), key=lambda j, row=row: row[j])) == t for row, t in zip(y, target, strict=True))  # type: ignore[misc]
    assert ACCURACY(y, target) == right / n
    assert ACCURACY(y, y.argmax(axis=1)) == 1.0
    assert isinstance(ACCURACY(y, target), float)


@pytest.mark.parametrize(("rows", "shape"), [(0, (0,)), (3, (2,)), (3, (3, 1)), (3, ())])
def test_as_many_labels_as_rows_and_at_least_one(rows: int, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=rf"^accuracy: logits has {rows} rows, labels has shape "):
        ACCURACY(np.zeros((rows, 2), np.float32), np.zeros(shape, np.int64))
