"""LinearFirst beside `F.linear` on an input that needs no gradient."""

from __future__ import annotations

from collections.abc import Iterator

from torch.nn.functional import linear

from bendtorch import LinearFirst
from reference.compare import Row, judge_all
from reference.layers.linear import linear_cases


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on LinearFirst."""
    return judge_all(linear_cases(LinearFirst, linear, quick))
