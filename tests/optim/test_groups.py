"""Groups of parameters with settings of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch import Key, Linear, LinearNB, ReLU, Repeat, Tie, Train
from bendtorch.errors import ConfigError
from bendtorch.layer import Leaf, zeros_init
from bendtorch.optim import SGD, VECTORS, Adam, AdamW, Grouped, Momentum, PackedAdamW
from bendtorch.optim.at import of_leaf
from bendtorch.optim.state import new_state
from tests.support.arrays import same_bits
from tests.support.params import random_like
from tests.support.sizes import seeds

NB: Any = LinearNB
LEAVES = (
    Leaf("0.weight", (3, 2), zeros_init),
    Leaf("0.bias", (1, 3), zeros_init, vector=True),
    Leaf("head.weight", (3, 2), zeros_init),
)


def test_the_first_group_that_matches_counts() -> None:
    grouped = Grouped(SGD(0.1), {VECTORS: SGD(0.2), "head.*": SGD(0.3), "*": SGD(0.4)})
    assert grouped.bind(LEAVES).index == (3, 1, 2)
    at = grouped.bind(LEAVES).at(5)
    assert [of_leaf(at, i) for i in range(3)] == [SGD(0.4).at(5), SGD(0.2).at(5), SGD(0.3).at(5)]
    by_shape = Grouped(SGD(0.1), {lambda leaf: leaf.shape[0] == 1: SGD(0.2)})
    assert by_shape.bind(LEAVES).index == (0, 1, 0)


def test_a_group_without_leaves_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"no leaf belongs to group 'tail\.\*'; the model's leaves are 0.weight"):
        Grouped(SGD(0.1), {"tail.*": SGD(0.2)}).bind(LEAVES)
    with pytest.raises(ConfigError, match="no leaf belongs to group VECTORS"):
        Grouped(SGD(0.1), {VECTORS: SGD(0.2)}).bind(LEAVES[:1])


@pytest.mark.parametrize(
    ("one", "two"), [(SGD(0.1), Momentum(0.1)), (Adam(), PackedAdamW()), (PackedAdamW(), PackedAdamW(second=False))]
)
def test_groups_of_different_states_are_refused(one: Any, two: Any) -> None:
    with pytest.raises(ConfigError, match="need the same kind of optimizer"):
        Grouped(one, {"*": two})
    with pytest.raises(ConfigError, match="a group is a pattern of names or a function of the leaf, got 3"):
        Grouped(one, {3: one})  # type: ignore[dict-item]
    assert Grouped(Adam(), {"*": AdamW()}).default == Adam()


def model() -> Any:
    """Every combinator that splits an optimizer: a chain, copies, tied weights."""
    block: Any = Linear(4, 6, 6) >> ReLU(4, 6)
    tied: Any = Tie(NB(4, 6, 6), Repeat(3, block), NB(4, 6, 6))
    net: Any = tied >> Linear(4, 6, 2)
    return net


@pytest.mark.parametrize("kind", [SGD, Momentum, AdamW, PackedAdamW])
@given(seed=seeds)
def test_each_leaf_is_stepped_with_its_own_settings(kind: Any, seed: int) -> None:
    """Against a step of each optimizer over the whole model; the tree of steps and the flat step have the same bits."""
    net = model()
    decaying, plain, slow = kind(0.1, weight_decay=0.5), kind(0.1, weight_decay=0.0), kind(0.01, weight_decay=0.5)
    grouped = Grouped(decaying, {VECTORS: plain, "0.shared.*": slow})
    p, g = random_like(net, seed), random_like(net, seed + 1)
    train = Train.new(net, grouped, p)
    assert train.flat is not None
    train.flat.g[:] = net.dump(g)
    train.apply(net)
    whole = {}
    for optimizer in (decaying, plain, slow):
        q, h = net.zeros(), net.zeros()
        net.load(q, net.dump(p), 0)
        net.load(h, net.dump(g), 0)
        net.step(optimizer.at(1), q, h, new_state(optimizer, net.zeros, net.count()))
        whole[optimizer] = net.dump(q)
    bound, start = grouped.bind(net.leaves), 0
    assert set(bound.index) == {0, 1, 2}
    for leaf, index in zip(net.leaves, bound.index, strict=True):
        place = slice(start, start + leaf.cells)
        assert same_bits(train.flat.w[place], whole[bound.optimizers[index]][place])
        start += leaf.cells
    st = new_state(decaying, net.zeros, net.count())
    net.step(bound.at(1), p, g, st)
    assert same_bits(net.dump(p), train.flat.w)


def test_a_grouped_optimizer_trains_and_keeps_its_groups() -> None:
    net = model()
    train = Train.new(
        net, Grouped(AdamW(0.1, weight_decay=0.5), {VECTORS: AdamW(0.1, weight_decay=0.0)}), net.init(Key(0))
    )
    assert train.flat is not None
    before = train.flat.w.copy()
    train.apply(net)  # a zero gradient: what decays, decays
    start = 0
    for leaf in net.leaves:
        place = slice(start, start + leaf.cells)
        factor = np.float32(1) if leaf.vector else np.float32(1 - 0.1 * 0.5)
        assert same_bits(train.flat.w[place], before[place] * factor)
        start += leaf.cells
