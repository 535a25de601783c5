"""The protocol: whatever has the functions is a layer."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import ConfigError
from bendtorch.layer import Bwd, Fwd, Info, Layer, Step, make_layer, matrix
from bendtorch.layers import LinearNB
from tests.support.arrays import all_same_bits, numbers, same_bits
from tests.support.chains import input_of, output_gradient_of
from tests.support.params import random_like
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

NB: Any = LinearNB


def scale(n: int, c: int) -> Any:
    """A layer of a user's own in plain numpy: y = x · w, column by column."""

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        g += (dy * s).sum(axis=0, keepdims=True)
        return Bwd(dy * p, g)

    make: Any = matrix
    return make_layer(make(1, c), lambda p, x: Fwd(x * p, x), bwd)


@given(n=rows, c=widths, o=widths, seed=seeds)
def test_a_layer_of_ones_own_composes(n: int, c: int, o: int, seed: int) -> None:
    own, linear = scale(n, c), NB(n, c, o)
    model = own >> linear
    p = random_like(model, seed)
    x, dy = numbers(seed, n, c), output_gradient_of(linear, seed + 1)
    y, dx, dp = run(model, p, x, dy)
    hidden = own.fwd(p[0], x)
    y_apart, dh, dw = run(linear, p[1], hidden.y, dy)
    back = own.bwd(p[0], hidden.s, dh, own.zeros())
    assert same_bits(y, y_apart)
    assert same_bits(dx, back.dx)
    assert all_same_bits(dp, (back.g, dw))


def test_a_layer_may_be_built_from_its_functions() -> None:
    made = scale(2, 3)
    names = ("zeros", "step", "dump", "load", "store", "count", "fwd", "bwd")
    bare: Any = Layer(**{name: getattr(made, name) for name in names})
    assert bare.view is None
    assert bare.leaves == ()
    assert str(bare) == "layer()"
    assert np.array_equal(bare.fwd(np.ones((1, 3), np.float32), np.ones((2, 3), np.float32)).y, np.ones((2, 3)))
    assert (bare >> bare).view is None


def test_a_layer_cannot_be_changed() -> None:
    for name in ("fwd", "info", "view"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(NB(1, 2, 3), name, None)


def test_results_are_small_records() -> None:
    forward, backward = Fwd(1, 2), Bwd(3, 4)
    step: Any = Step
    stepped = step(5, 6, 7)
    assert (forward.y, forward.s, backward.dx, backward.g) == (1, 2, 3, 4)
    assert (stepped.p, stepped.g, stepped.st) == (5, 6, 7)
    assert not any(hasattr(record, "__dict__") for record in (forward, backward, stepped))


def test_the_text_of_a_layer_is_its_infos() -> None:
    layer = NB(1, 2, 3)
    assert str(layer) == str(layer.info) == "LinearNB(1, 2, 3)"
    assert str(dataclasses.replace(layer, info=Info("Mine", {"n": 1}))) == "Mine(1)"


@given(n=rows, c=widths, seed=seeds)
def test_rshift_is_composition(n: int, c: int, seed: int) -> None:
    """L3 and L4."""
    one, two = NB(n, c, 3), NB(n, 3, 2)
    p, q = random_like(one, seed), random_like(two, seed + 1)
    x, dz = input_of(one, seed), output_gradient_of(two, seed)
    z, dx, dp = run(one >> two, (p, q), x, dz)
    y = one.fwd(p, x).y
    z_apart, dy, dq = run(two, q, y, dz)
    _, dx_apart, dp_apart = run(one, p, x, dy)
    assert same_bits(z, z_apart)
    assert same_bits(dx, dx_apart)
    assert all_same_bits(dp, (dp_apart, dq))


def test_a_layer_is_copied_as_itself_and_not_pickled() -> None:
    model: Any = NB(1, 2, 3) >> NB(1, 3, 2)
    assert copy.copy(model) is copy.deepcopy(model) is model
    assert copy.deepcopy({"model": [model]})["model"][0] is model
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(
            ConfigError, match=r"^Seq\(LinearNB.*cannot be pickled; save the parameters with save_params"
        ):
            pickle.dumps(model, protocol)
