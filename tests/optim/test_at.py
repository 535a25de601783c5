"""The numbers of a step, for all leaves or for groups of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError
from bendtorch.optim import AdamW
from bendtorch.optim.at import GroupedAt, MomentumAt, SGDAt, of_leaf, share

OPTS = (SGDAt(0.1), SGDAt(0.2), SGDAt(0.3))
indices = st.lists(st.integers(0, 2), min_size=1, max_size=8).map(tuple)


@given(index=indices, data=st.data())
def test_a_share_is_that_of_its_leaves(index: tuple[int, ...], data: st.DataObject) -> None:
    grouped = GroupedAt(OPTS, index)
    first = data.draw(st.integers(0, len(index) - 1))
    count = data.draw(st.integers(1, len(index) - first))
    part = share(grouped, first, count)
    assert [of_leaf(part, i) for i in range(count)] == [OPTS[k] for k in index[first : first + count]]
    assert isinstance(part, GroupedAt) == (len(set(index[first : first + count])) > 1)


def test_one_set_of_numbers_is_everybodys() -> None:
    assert share(OPTS[0], 5, 3) is OPTS[0]
    assert of_leaf(OPTS[1], 7) is OPTS[1]


def test_more_leaves_than_groups_are_refused() -> None:
    with pytest.raises(ConfigError, match="made for 2 leaves, but leaf 2 is stepped"):
        share(GroupedAt(OPTS, (0, 1)), 1, 2)


def test_what_the_kernels_read() -> None:
    assert SGDAt(0.1, 0.2).numbers == (0.1, 0.2)
    assert MomentumAt(0.1, 0.9, 0.2, True).numbers == (0.1, 0.2, 0.9, 1.0)
    at = AdamW(0.1, weight_decay=0.5).at(3)
    numbers = (1 - 0.1 * 0.5, 0.0, 0.999, 1 - 0.9, 1 - 0.999, at.step_size, at.denominator, 1e-8)
    assert at.numbers == numbers
