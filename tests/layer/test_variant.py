"""Variants: a model varies as its parts do, whatever it is composed of, on the same parameters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bendtorch import Add2, Both, Dropout, Fork, Id, Linear, LinearNB, Repeat, Residual, Seq, Tie
from bendtorch.errors import ConfigError
from bendtorch.keys import Key
from bendtorch.layer import Bwd, Fwd, Info, Layer, make_layer
from tests.support.arrays import numbers, same_bits

N, C = 5, 4
AnyLayer = Layer[Any, Any, Any, Any]
drop: AnyLayer = Dropout(N, C, 0.5, 1)
same: AnyLayer = Id(N, C)
dense: AnyLayer = Linear(N, C, C)
table: AnyLayer = LinearNB(N, C, C)

COMPOSITES: dict[str, Callable[[Any], Any]] = {
    ">>": lambda part: dense >> part >> dense,
    "Seq": lambda part: Seq(dense, dense, part),
    "Fork": lambda part: Fork(dense, part) >> Add2(N, C),
    "Both": lambda part: Fork(same, same) >> Both(dense, part) >> Add2(N, C),
    "Residual": lambda part: Residual(dense >> part),
    "Tie": lambda part: Tie(table, part, table),
    "Repeat": lambda part: Repeat(3, dense >> part),
    "nested": lambda part: Repeat(2, Residual(Repeat(2, dense >> part) >> dense)),
}


@pytest.mark.parametrize("build", COMPOSITES.values(), ids=COMPOSITES)
def test_in_evaluation_dropout_is_the_identity(build: Callable[[Any], Any]) -> None:
    model, plain = build(drop), build(same)
    x, p = numbers(3, N, C), model.init(Key(1))
    q = plain.zeros()
    plain.load(q, np.concatenate([np.empty(0, np.float32), *weights(model, p)]), 0)
    expected = plain.fwd(q, x).y
    assert not same_bits(model.fwd(p, x).y, expected)
    forward = model.eval().fwd(p, x)
    assert same_bits(forward.y, expected)
    dx = model.eval().bwd(p, forward.s, x, model.zeros()).dx
    assert same_bits(dx, plain.bwd(q, plain.fwd(q, x).s, x, plain.zeros()).dx)
    assert not model.eval().varies
    assert model.eval().eval() is not None
    assert [str(leaf) for leaf in model.eval().leaves] != []


def weights(model: Any, p: Any) -> list[Any]:
    """The numbers of a model's leaves that are no counters."""
    flat, found, offset = model.dump(p), [], 0
    for leaf in model.leaves:
        if not leaf.counter:
            found.append(flat[offset : offset + leaf.cells])
        offset += leaf.cells
    return found


def test_a_model_without_variants_is_its_own() -> None:
    model = Repeat(2, Residual(dense)) >> dense
    assert not model.varies
    assert model.eval() is model


def test_copies_draw_different_masks() -> None:
    wide: Any = Dropout(N, 64, 0.5, 1)
    x = np.ones((N, 64), np.float32)
    model = Repeat(2, Repeat(3, wide))
    kept = model.fwd(model.zeros(), x).y != 0
    assert 0 < kept.mean() < 0.1  # 1/64 where the six are independent, 1/2 where they are the same


def test_a_combinator_that_does_not_pass_variants_on_is_refused() -> None:
    """Nothing is silently evaluated with dropout on."""

    def fwd(p: Any, x: Any) -> Fwd[Any, Any]:
        return drop.fwd(p, x)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Bwd[Any, Any]:
        return drop.bwd(p, s, dy, g)

    own = make_layer(drop, fwd, bwd, Info("Mine", parts=(drop,)))
    message = re.escape("Dropout(5, 4, p=0.5, seed=1) inside behaves differently in evaluation")
    with pytest.raises(ConfigError, match=message):
        own.eval()
    chain: Any = dense >> own
    with pytest.raises(ConfigError, match=message):
        chain.eval()
