"""A model and its loss as functions of the number of rows: the last batch of an epoch may be short."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.shapes.arguments import shown

ModelOf: TypeAlias = Callable[[int], Layer[Any, Any, Any, Any]]
LossOf: TypeAlias = Callable[[int], Loss[Any, Any]]


def built_once(caller: str, model: ModelOf, loss: LossOf, evaluating: bool = False) -> tuple[ModelOf, LossOf]:
    """The two functions, remembering what they built for each size. Raises `ConfigError` for what is no function."""
    for name, maker in (("model", model), ("loss", loss)):
        if not callable(maker) or isinstance(maker, (Layer, Loss)):
            raise ConfigError(
                f"{caller}: {name} must be a function of the number of rows, such as lambda n: ..., because the last "
                f"batch may be short; got {shown(maker)}"
            )
    mode = (lambda n: model(n).eval()) if evaluating else model
    return lru_cache(maxsize=None)(mode), lru_cache(maxsize=None)(loss)
