"""Seq: the same chain as nested `>>`, with its pairs nested to the right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.combine import Seq
from bendtorch.errors import ConfigError
from bendtorch.layers import Linear, ReLU
from tests.support.arrays import all_same_bits, as_lists, numbers, same_bits
from tests.support.chains import input_of, left_nested, lists_of_layers, nestings, output_gradient_of
from tests.support.params import PARAMS_CHECKS, random_like
from tests.support.passes import run
from tests.support.sizes import seeds


def right_nested(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else (values[0], right_nested(values[1:]))


def left_pairs(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else (left_pairs(values[:-1]), values[-1])


@given(layers=lists_of_layers(most=6), seed=seeds)
def test_pairs_are_nested_to_the_right_and_those_of_rshift_to_the_left(layers: list[Any], seed: int) -> None:
    flat, nested = Seq(*layers), left_nested(layers)
    parts = [random_like(layer, seed + i) for i, layer in enumerate(layers)]
    right, left = right_nested(parts), left_pairs(parts)
    assert same_bits(flat.dump(right), nested.dump(left))
    assert same_bits(flat.dump(right), np.concatenate([part.dump(p) for part, p in zip(layers, parts, strict=True)]))
    x = input_of(flat, seed)
    saved: list[Any] = []
    for layer, p in zip(layers, parts, strict=True):
        forward = layer.fwd(p, x)
        x = forward.y
        saved.append(forward.s)
    assert all_same_bits(flat.fwd(right, input_of(flat, seed)).s, right_nested(saved))
    assert all_same_bits(nested.fwd(left, input_of(flat, seed)).s, left_pairs(saved))


@given(layers=lists_of_layers(most=6), data=st.data(), seed=seeds)
def test_every_nesting_has_the_same_bits(layers: list[Any], data: Any, seed: int) -> None:
    """L1, L3, L4, L5, for any bracketing of `>>`, and for `Seq` inside of `>>`."""
    flat, x = Seq(*layers), input_of(layers[0], seed)
    numbers_of_p, dy = numbers(seed, flat.count()), output_gradient_of(flat, seed)
    results = []
    for model in (flat, left_nested(layers), data.draw(nestings(layers))):
        p = model.zeros()
        model.load(p, numbers_of_p, 0)
        y, dx, dp = run(model, p, x, dy)
        results.append((y, dx, model.dump(dp)))
    assert all_same_bits(results[0], results[1])
    assert all_same_bits(results[0], results[2])


@given(layers=lists_of_layers(most=4), seed=seeds)
def test_the_gradient_of_a_chain_is_that_of_its_parts(layers: list[Any], seed: int) -> None:
    """L4 and L5, part by part."""
    model = Seq(*layers)
    p, x, dy = random_like(model, seed), input_of(model, seed), output_gradient_of(model, seed)
    y, dx, dp = run(model, p, x, dy)
    parts, rest = [], p
    for _ in layers[:-1]:
        parts.append(rest[0])
        rest = rest[1]
    parts.append(rest)
    forwards, value = [], x
    for layer, part in zip(layers, parts, strict=True):
        forwards.append(layer.fwd(part, value))
        value = forwards[-1].y
    assert same_bits(y, value)
    gradients: list[Any] = []
    for layer, part, forward in reversed(list(zip(layers, parts, forwards, strict=True))):
        backward = layer.bwd(part, forward.s, dy, layer.zeros())
        dy = backward.dx
        gradients.append(backward.g)
    assert same_bits(dx, dy)
    assert all_same_bits(dp, right_nested(gradients[::-1]))


@pytest.mark.parametrize("check", PARAMS_CHECKS)
@given(layers=lists_of_layers(), seed=seeds)
def test_seq_passes_the_checks_of_all_parameters(check: Any, layers: list[Any], seed: int) -> None:
    check(Seq(*layers), seed)


@given(layers=lists_of_layers(), seed=seeds)
def test_backward_accumulates_through_a_chain(layers: list[Any], seed: int) -> None:
    """L32."""
    model = Seq(*layers)
    p, g = random_like(model, seed), random_like(model, seed + 1)
    x, dy = input_of(model, seed), output_gradient_of(model, seed)
    s = model.fwd(p, x).s
    apart = as_lists(model.bwd(p, s, dy, model.zeros()).g)
    expected = [a + b for a, b in zip(as_lists(g), apart, strict=True)]
    assert all(map(same_bits, as_lists(model.bwd(p, s, dy, g).g), expected))


def test_fewer_than_two_layers_are_refused() -> None:
    seq: Any = Seq
    linear: Any = Linear
    with pytest.raises(ConfigError, match=r"^Seq: at least two layers are needed, 0 given$"):
        seq()
    with pytest.raises(ConfigError, match=r"^Seq: at least two layers are needed, 1 given$"):
        seq(linear(1, 2, 3))


def test_a_chain_of_chains_is_flat_in_its_parts() -> None:
    linear: Any = Linear
    relu: Any = ReLU
    inner = Seq(linear(1, 2, 3), relu(1, 3))
    assert len(Seq(inner, linear(1, 3, 4), relu(1, 4)).info.parts) == 4
