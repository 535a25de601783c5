"""Composition: L1, L3 to L5, L38, L47, L48, exact on the layers that ship."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given

from bendtorch import SGD, Adam, Momentum, Seq
from bendtorch.layer.protocol import Layer
from bendtorch.optim.state import new_state
from laws.cases import AnyLayer, chains, law, normal, parameters, same, seeds

OPTIMIZERS = (SGD(0.1), Momentum(0.1), Adam(0.1))


def run(layer: AnyLayer, seed: int) -> tuple[Any, Any, Any, Any]:
    """Output, saved values, input gradient and parameter gradient of one pass both ways."""
    p, x = parameters(layer, seed), normal(layer.info.takes, seed + 1)
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, normal(layer.info.gives, seed + 2), layer.zeros())
    return forward.y, forward.s, backward.dx, layer.dump(backward.g)


@law
@given(chains(3), seeds)
def test_l1_composition_is_associative(layers: list[AnyLayer], seed: int) -> None:
    f, g, h = layers
    left, right, both = (f >> g) >> h, f >> (g >> h), Seq(f, g, h)
    assert same(run(left, seed), run(right, seed))
    assert same(run(left, seed), run(both, seed))


@law
@given(chains(2), seeds)
def test_l3_the_forward_pass_is_composition(layers: list[AnyLayer], seed: int) -> None:
    f, g = layers
    p, q, x = parameters(f, seed), parameters(g, seed + 1), normal(f.info.takes, seed + 2)
    assert same((f >> g).fwd((p, q), x).y, g.fwd(q, f.fwd(p, x).y).y)


@law
@given(chains(2), seeds)
def test_l4_l5_the_backward_pass_is_composition_backwards(layers: list[AnyLayer], seed: int) -> None:
    f, g = layers
    p, q, x = parameters(f, seed), parameters(g, seed + 1), normal(f.info.takes, seed + 2)
    dz = normal(g.info.gives, seed + 3)
    one = f.fwd(p, x)
    two = g.fwd(q, one.y)
    back = g.bwd(q, two.s, dz, g.zeros())
    front = f.bwd(p, one.s, back.dx, f.zeros())
    chain: Layer[Any, Any, Any, Any] = f >> g
    whole = chain.bwd((p, q), (one.s, two.s), dz, chain.zeros())
    assert same(whole.dx, front.dx)
    assert same(chain.dump(whole.g), np.concatenate([f.dump(front.g), g.dump(back.g)]))


@law
@given(chains(2), seeds)
def test_l38_a_step_is_the_pair_of_steps(layers: list[AnyLayer], seed: int) -> None:
    f, g = layers
    chain = f >> g
    for optimizer in OPTIMIZERS:
        p, gradient = parameters(chain, seed), parameters(chain, seed + 1)
        apart, apart_gradient = parameters(chain, seed), parameters(chain, seed + 1)
        opt = optimizer.at(1)
        stepped = chain.step(opt, p, gradient, new_state(optimizer, chain.zeros, chain.count()))
        one = f.step(opt, apart[0], apart_gradient[0], new_state(optimizer, f.zeros, f.count()))
        two = g.step(opt, apart[1], apart_gradient[1], new_state(optimizer, g.zeros, g.count()))
        assert same(chain.dump(stepped.p), np.concatenate([f.dump(one.p), g.dump(two.p)]))
        assert not chain.dump(stepped.g).any()


@law
@given(chains(3), seeds)
def test_l47_l48_dump_is_the_concatenation(layers: list[AnyLayer], seed: int) -> None:
    f, g, h = layers
    chain = f >> g >> h
    p = parameters(chain, seed)
    parts = np.concatenate([f.dump(p[0][0]), g.dump(p[0][1]), h.dump(p[1])])
    assert same(chain.dump(p), parts)
    assert chain.count() == len(parts) == f.count() + g.count() + h.count()
