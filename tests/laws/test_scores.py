"""What attention does not see: the law finds a gradient of the keys that does not sum to 0, however small beside v."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch import Attention
from bendtorch.laws.scores import COMMON, centred
from bendtorch.laws.trial import draw
from tests.support.broken import finds
from tests.support.broken_parts import PARTS

attention: Any = Attention

test_each_part_finds_its_fault = finds("L53 of attention", faults=PARTS)


def test_the_products_are_whole() -> None:
    """Of as many numbers as a head may have here: what is compared has no rounding in it before the softmax."""
    most = 3 * (float(COMMON) + 3)
    assert float(np.float32(16 * most)) == 16 * most < 2**24


def test_it_holds() -> None:
    assert all(centred(draw(attention(2, 5, 2, 2, 4), seed)) is None for seed in range(20))
