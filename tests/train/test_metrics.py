"""Accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
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


@given(n=some_rows, c=widths, seed=seeds)
def test_a_row_with_a_nan_is_wrong(n: int, c: int, seed: int) -> None:
    y, row = numbers(seed, n, c), seed % n
    y[row, seed % c] = np.nan
    for target in (y.argmax(axis=1), np.nan_to_num(y, nan=-9).argmax(axis=1)):
        others = np.delete(y.argmax(axis=1) == target, row).sum()
        assert ACCURACY(y, target) == others / n


@pytest.mark.parametrize("label", [-1, 3, 2**40, -100])
def test_labels_are_columns(label: int) -> None:
    with pytest.raises(IndexRangeError, match=rf"^accuracy: labels\[1\] is {label}, labels go from 0 to 2; "):
        ACCURACY(numbers(0, 2, 3), np.array([0, label]))


@pytest.mark.parametrize("kind", ["float64", "float16", "int64"])
def test_logits_are_float32(kind: str) -> None:
    with pytest.raises(DtypeError, match=rf"^accuracy: logits must be float32 .*{kind}.*astype\(np.float32\)$"):
        ACCURACY(np.zeros((2, 3), kind), np.zeros(2, np.int64))


@pytest.mark.parametrize(("rows", "shape"), [(0, (0,)), (3, (2,)), (3, (3, 1)), (3, ())])
def test_as_many_labels_as_rows_and_at_least_one(rows: int, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=rf"^accuracy: logits has {rows} rows, labels has shape "):
        ACCURACY(np.zeros((rows, 2), np.float32), np.zeros(shape, np.int64))
