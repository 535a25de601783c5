"""Models and parameters as users hand them over."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.layer.arguments import expect_layer, expect_params, reading_params
from tests.support.models import LIN, mlp


def test_a_layer_passes() -> None:
    expect_layer("f", mlp(3))


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (mlp, "the function mlp; call it with its sizes, as in mlp(32)"),
        (dict, "the class dict; call it with its settings"),
        ("mlp", "'mlp'"),
        ((1, 2), "a tuple of 2"),
    ],
)
def test_what_is_no_layer_is_named(model: Any, text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        expect_layer("f", model)
    assert str(raised.value) == f"f: model must be a layer, got {text}"


@pytest.mark.parametrize("fault", [TypeError("why"), AttributeError("why"), IndexError("why"), DtypeError("why")])
def test_another_nest_is_said_of_p(fault: Exception) -> None:
    with (
        pytest.raises(ConfigError, match=r"^f: p must be parameters of Linear\(1, 2, 3\), got 7; .*\(why\)$") as raised,
        reading_params("f", LIN(1, 2, 3), 7),
    ):
        raise fault
    assert raised.value.__cause__ is fault


@pytest.mark.parametrize("fault", [ShapeError("own"), KeyboardInterrupt(), MemoryError(), OSError("disk")])
def test_other_errors_pass(fault: BaseException) -> None:
    with pytest.raises(type(fault)) as raised, reading_params("f", LIN(1, 2, 3), 7):
        raise fault
    assert raised.value is fault


@pytest.mark.parametrize("model", [mlp(3), dataclasses.replace(mlp(3), matrices=None)])
def test_parameters_of_another_nesting_are_refused(model: Any) -> None:
    expect_params("f", model, mlp(5).zeros())
    with pytest.raises(ConfigError, match=r"^f: p must be parameters of Seq\("):
        expect_params("f", model, LIN(1, 2, 3).zeros())
