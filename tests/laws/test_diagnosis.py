"""What a wrong gradient has in common with the right one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.laws import examine
from tests.support.mutants import affine, mutant


def said(maker: Any) -> str:
    (failure,) = examine(maker, only="L27").failures
    return failure.explained


def bias(change: Any) -> Any:
    """The layer with another gradient of its bias."""

    def maker(n: int, i: int, o: int) -> Any:
        return affine(n, i, o, ending=change)

    return maker


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("a sign is wrong", "dx is minus the derivative everywhere: its sign is wrong"),
        ("db is dropped", "dp.bias is zero everywhere: it is never computed, or not added to g"),
        (
            "a mean in place of a sum",
            "dp.bias is the derivative divided by the number of rows: a mean where a sum belongs",
        ),
    ],
)
def test_a_planted_fault_is_named(fault: str, text: str) -> None:
    assert said(mutant(fault)) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda db, dy: db / 2, "dp.bias is half the derivative everywhere: a factor of 2 is missing"),
        (
            lambda db, dy: db * np.float32(1.5),
            "dp.bias is 1.5 times the derivative everywhere: a factor of 0.667 is missing",
        ),
        (
            lambda db, dy: np.full_like(db, db.sum()),
            "dp.bias has the sum of the whole derivative in every place: "
            "it is summed over one axis too many and broadcast",
        ),
        (lambda db, dy: db + np.float32(1), ""),
    ],
)
def test_a_wrong_bias_gradient_is_named(change: Any, text: str) -> None:
    assert said(bias(change)) == text


def test_a_transposed_gradient_of_a_square_array_is_named() -> None:
    assert said(lambda n, c: affine(n, c, c, "dw is transposed")) == "dp.weight is the derivative transposed"


def test_nothing_is_said_where_the_layer_raises() -> None:
    def maker(n: int, c: int) -> Any:
        return affine(n, c, c + 1, "dw is transposed")

    assert said(maker) == ""
