"""LinearNB beside `F.linear` without bias."""

from __future__ import annotations

from collections.abc import Iterator

from torch.nn.functional import linear

from bendtorch import LinearNB
from reference.compare import Row, judge_all
from reference.layers.linear import linear_cases


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on LinearNB."""
    return judge_all(linear_cases(LinearNB, linear, quick))
