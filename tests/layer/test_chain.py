"""Chains: seams, names, and initial numbers that do not depend on the nesting."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.combine import Seq
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.keys import Key
from bendtorch.layer import Info, Layer
from bendtorch.layer.chain import chain, chain_parts
from bendtorch.layers import Linear, LinearFirst, LinearNB, ReLU
from tests.support.arrays import same_bits
from tests.support.chains import lists_of_layers, nestings
from tests.support.params import PARAMS_CHECKS
from tests.support.sizes import seeds

LIN: Any = Linear
FIRST: Any = LinearFirst
NB: Any = LinearNB
RELU: Any = ReLU


def placed_names(layers: list[Any]) -> list[str]:
    return [f"{place}.{leaf.name}" for place, layer in enumerate(layers) for leaf in layer.leaves]


@given(data=st.data(), layers=lists_of_layers(), seed=seeds)
def test_names_and_initial_numbers_do_not_depend_on_the_nesting(data: Any, layers: list[Any], seed: int) -> None:
    nested, other, flat = data.draw(nestings(layers)), data.draw(nestings(layers)), Seq(*layers)
    for model in (nested, other, flat):
        assert [leaf.name for leaf in model.leaves] == placed_names(layers)
        assert chain_parts(model) == tuple(layers)
        assert same_bits(model.dump(model.init(Key(seed))), flat.dump(flat.init(Key(seed))))


@pytest.mark.parametrize("check", PARAMS_CHECKS)
@given(data=st.data(), layers=lists_of_layers(), seed=seeds)
def test_chains_pass_the_checks_of_all_parameters(check: Any, data: Any, layers: list[Any], seed: int) -> None:
    check(data.draw(nestings(layers)), seed)


@given(data=st.data(), layers=lists_of_layers())
def test_a_chain_says_what_it_is(data: Any, layers: list[Any]) -> None:
    model = data.draw(nestings(layers))
    assert model.info.takes == layers[0].info.takes
    assert model.info.gives == layers[-1].info.gives
    assert str(model) == f"Seq({', '.join(map(str, layers))})"
    assert model.info.input_gradient

    def flattened(spec: Any) -> list[Any]:
        return [s for part in spec for s in flattened(part)] if isinstance(spec, tuple) else [spec]

    assert flattened(model.info.saves) == [layer.info.saves for layer in layers]


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: LIN(2, 3, 4) >> RELU(2, 5),
            ">>: Linear(2, 3, 4) gives Mat[2, 4], ReLU(2, 5) takes Mat[2, 5]",
        ),
        (
            lambda: (LIN(2, 3, 4) >> RELU(2, 4)) >> (NB(2, 5, 6) >> RELU(2, 6)),
            ">>: ReLU(2, 4) gives Mat[2, 4], LinearNB(2, 5, 6) takes Mat[2, 5]",
        ),
        (
            lambda: Seq(LIN(2, 3, 4), RELU(2, 4), NB(3, 4, 6), RELU(3, 6)),
            "Seq: ReLU(2, 4) gives Mat[2, 4], LinearNB(3, 4, 6) takes Mat[3, 4]",
        ),
    ],
)
def test_a_seam_names_the_two_layers_that_touch(build: Any, text: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}$"):
        build()


@given(layers=lists_of_layers(), data=st.data())
def test_any_wrong_seam_is_refused(layers: list[Any], data: Any) -> None:
    place = data.draw(st.integers(1, len(layers) - 1))
    wrong = layers[place - 1].info.gives.shape[1] + 1
    layers[place] = NB(layers[0].info.takes.shape[0], wrong, 1)
    with pytest.raises(ShapeError, match=re.escape(f"{layers[place - 1]} gives ")):
        Seq(*layers[: place + 1])


def test_layers_that_do_not_say_their_shapes_are_not_checked() -> None:
    import dataclasses

    silent: Any = dataclasses.replace(NB(2, 5, 6), info=Info("mine"))
    assert isinstance(LIN(2, 3, 4) >> silent, Layer)
    assert (silent >> LIN(2, 3, 4)).info.saves is None


@pytest.mark.parametrize(
    "build",
    [
        lambda: LIN(2, 3, 4) >> FIRST(2, 4, 5),
        lambda: NB(2, 3, 4) >> FIRST(2, 4, 5),
        lambda: Seq(LIN(2, 3, 4), FIRST(2, 4, 5)),
        lambda: chain(LIN(2, 3, 4), FIRST(2, 4, 5)),
    ],
)
def test_no_layer_without_input_gradient_behind_parameters(build: Any) -> None:
    with pytest.raises(ConfigError) as raised:
        build()
    assert "LinearFirst(2, 4, 5) gives no gradient of its input, but Linear" in str(raised.value)
    assert "(2, 3, 4) before it has parameters to train" in str(raised.value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: LIN(2, 3, 4) >> RELU(2, 4) >> FIRST(2, 4, 5),
        lambda: LIN(2, 3, 4) >> (RELU(2, 4) >> FIRST(2, 4, 5)),
        lambda: Seq(LIN(2, 3, 4), RELU(2, 4), FIRST(2, 4, 5)),
        lambda: (LIN(2, 3, 4) >> RELU(2, 4)) >> (FIRST(2, 4, 5) >> RELU(2, 5)),
    ],
)
def test_the_two_layers_that_do_not_go_together_are_named_also_when_they_do_not_touch(build: Any) -> None:
    with pytest.raises(ConfigError) as raised:
        build()
    assert "LinearFirst(2, 4, 5) gives no gradient of its input" in str(raised.value)
    assert "Linear(2, 3, 4) before it has parameters to train" in str(raised.value)
    assert "ReLU" not in str(raised.value)


def test_a_layer_without_input_gradient_may_come_first_or_behind_layers_without_parameters() -> None:
    model = RELU(2, 3) >> FIRST(2, 3, 4) >> LIN(2, 4, 5)
    assert not model.info.input_gradient
    with pytest.raises(ConfigError, match="gives no gradient of its input"):
        LIN(2, 1, 3) >> model
