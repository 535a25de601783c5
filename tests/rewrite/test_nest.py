"""Nests: taken apart and built again, of layers and of values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Fork
from bendtorch.errors import DtypeError, ShapeError
from bendtorch.rewrite.nest import ONE, apart, nested, parts_of, together
from tests.support.models import NB, RELU

nests = st.recursive(st.just(ONE), lambda inner: st.tuples(inner, inner), max_leaves=8)


def leaves_of(nest: Any) -> int:
    return sum(map(leaves_of, nest)) if nest else 1


@given(nests)
def test_apart_and_together_are_inverse(nest: Any) -> None:
    count = leaves_of(nest)
    value = together(nest, iter(range(count)))
    assert apart(nest, value, "layer", "parameters") == list(range(count))


def test_a_layer_is_taken_apart_where_it_is_asked() -> None:
    one, two, three = NB(2, 3, 3), RELU(2, 3), NB(2, 3, 4)
    chain = one >> two >> three
    assert nested(chain, lambda part: part.info.name == "Seq") == (((ONE, ONE), ONE), [one, two, three])
    assert nested(Fork(chain, three), lambda part: part.info.name == "Fork") == ((ONE, ONE), [chain, three])
    assert parts_of(one) == []
    assert parts_of(chain)[1] is three


@pytest.mark.parametrize(("value", "error"), [(1, DtypeError), ((1,), ShapeError), ((1, 2), DtypeError)])
def test_values_in_another_nest_are_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="must be a pair"):
        apart(((ONE, ONE), ONE), value, "layer", "parameters")
