"""The first id out of range."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.kernels.labels import first_outside

FIRST_OUTSIDE: Any = first_outside
words = st.one_of(st.integers(-3, 12), st.integers(-(2**63), 2**63 - 1))


@given(values=st.lists(words, max_size=30), bound=st.integers(1, 10))
def test_the_first_outside(values: list[int], bound: int) -> None:
    outside = [place for place, value in enumerate(values) if not 0 <= value < bound]
    assert FIRST_OUTSIDE(np.array(values, np.int64), bound) == (outside[0] if outside else -1)
