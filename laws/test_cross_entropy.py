"""L54: cross-entropy does not see a shift of a row, nor rows that are ignored; exact where the shift is."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import CrossEntropy
from bendtorch.shapes.spec import mat_spec
from laws.cases import law, normal, same, seeds, widths

entropy: Any = CrossEntropy
some_rows = st.sampled_from([1, 2, 3, 7])
smoothings = st.sampled_from([0.0, 0.25])


@law
@given(some_rows, widths, seeds, st.integers(-1000, 1000), smoothings)
def test_l54_a_shift_of_a_row_changes_nothing(n: int, c: int, seed: int, shift: int, smoothing: float) -> None:
    generator = np.random.default_rng(seed)
    y, labels = generator.integers(-20, 20, (n, c)).astype(np.float32), generator.integers(0, c, n)
    loss = entropy(n, c, label_smoothing=smoothing)
    one, two = loss(y, labels), loss(y + np.float32(shift), labels)
    assert one.loss == two.loss
    assert same(one.dy, two.dy)


@law
@given(some_rows, widths, seeds, smoothings)
def test_l54_ignored_rows_are_as_if_they_were_not_there(n: int, c: int, seed: int, smoothing: float) -> None:
    """Their gradient is zero, the others have the bits that they have alone; NaN in them is not seen."""
    y, labels = normal(mat_spec(2 * n, c), seed), np.random.default_rng(seed).integers(0, c, 2 * n)
    labels[::2], y[::2] = -100, np.nan
    alone = entropy(n, c, label_smoothing=smoothing)(y[1::2], labels[1::2])
    out = entropy(2 * n, c, ignore_index=-100, label_smoothing=smoothing)(y, labels)
    assert out.loss == alone.loss
    assert same(out.dy[1::2], alone.dy)
    assert not out.dy[::2].any()
