"""The classes that the type checker computes with."""

from __future__ import annotations

from typing import Any

from bendtorch.shapes.arith import Add, Div, Mul
from bendtorch.shapes.dims import A, B


def test_arithmetic_is_an_int_of_two_sizes() -> None:
    kinds: tuple[Any, ...] = (Add, Div, Mul)
    for kind in kinds:
        assert issubclass(kind, int)  # so that it fits a dimension variable's bound
        assert kind.__parameters__ == (A, B)
