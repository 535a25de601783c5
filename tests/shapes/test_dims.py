"""Dimension variables, and what they are at run time."""

from __future__ import annotations

from typing import Any, TypeVar, get_args, get_type_hints

from bendtorch.shapes import dims
from bendtorch.shapes.dims import PROVE, Dim, Eq, N

VARIABLES: dict[str, Any] = {name: value for name, value in vars(dims).items() if isinstance(value, TypeVar)}


def test_every_variable_is_bound_to_int_under_its_own_name() -> None:
    assert len(VARIABLES) > 15
    for name, variable in VARIABLES.items():
        assert variable.__name__ == name
        assert variable.__bound__ is int


def test_a_dim_is_an_int_that_remembers_its_variable() -> None:
    def function(n: Dim[N]) -> None: ...

    hint = get_type_hints(function, include_extras=True)["n"]
    assert get_args(hint) == (N, "size")


def test_a_proof_holds_nothing() -> None:
    assert isinstance(PROVE, Eq)
    assert not hasattr(PROVE, "__dict__")
