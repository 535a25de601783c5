"""Errors: one base, and the built-in error that a caller would expect."""

from __future__ import annotations

import inspect

import pytest

from bendtorch import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.ShapeError, ValueError),
        (errors.DtypeError, TypeError),
        (errors.IndexRangeError, IndexError),
        (errors.ConfigError, ValueError),
        (errors.CheckpointError, ValueError),
        (errors.NonFiniteError, ArithmeticError),
        (errors.LawError, AssertionError),
    ],
)
def test_each_is_a_bend_error_and_a_builtin(error: type[Exception], builtin: type[Exception]) -> None:
    for expected in (errors.BendError, builtin):
        with pytest.raises(expected, match="what happened"):
            raise error("what happened")


def test_no_error_is_caught_with_another() -> None:
    kinds = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind not in (errors.BendError, Exception)
    ]
    assert len(kinds) == 7
    assert not [(a, b) for a in kinds for b in kinds if a is not b and issubclass(a, b)]
