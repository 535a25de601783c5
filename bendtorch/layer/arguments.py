"""Checks of a model and its parameters where a user hands them over: to a training run, to a file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.layer.protocol import Layer
from bendtorch.shapes.arguments import shown


def expect_layer(caller: str, model: object) -> None:
    """Refuse what is no layer."""
    if not isinstance(model, Layer):
        hint = "; call it with its sizes, as in mlp(32)" if callable(model) and not isinstance(model, type) else ""
        raise ConfigError(f"{caller}: model must be a layer, got {shown(model)}{hint}")


@contextlib.contextmanager
def reading_params(caller: str, model: Layer[Any, Any, Any, Any], p: object) -> Iterator[None]:
    """While the numbers of `p` are taken: what goes wrong with their nesting is said of `p`.

    A layer's own functions index and name what they are given, so another model's parameters end in any error.
    """
    try:
        yield
    except ShapeError:
        raise  # the nesting is right, and the message names the array
    except (AttributeError, DtypeError, LookupError, TypeError, ValueError) as problem:
        raise ConfigError(
            f"{caller}: p must be parameters of {model}, got {shown(p)}; give what model.init(Key(0)), "
            f"load_params(path, model) or train.p of the same model is ({problem})"
        ) from problem


def expect_params(caller: str, model: Layer[Any, Any, Any, Any], p: object) -> None:
    """Refuse parameters of another nesting. Their sizes are compared where they are used."""
    with reading_params(caller, model, p):
        (model.dump if model.matrices is None else model.matrices)(p)
