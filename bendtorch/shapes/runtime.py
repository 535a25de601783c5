"""The run-time side of a shape annotation: `Mat[N, "4*D"]` becomes jaxtyping's `Float32[np.ndarray, "N 4*D"]`.

Names inside a string stand for what they are where the annotation is written: a dimension variable stays a name that
jaxtyping binds, a `Final` number is put in as a number.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

import numpy as np

from bendtorch.errors import ConfigError

NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")


class SizedArray:
    """What `Mat` and `Ids` are at run time: subscripting one gives a jaxtyping annotation."""

    def __init__(self, name: str, kind: Any, rank: int) -> None:
        self.name, self.kind, self.rank = name, kind, rank

    def __getitem__(self, sizes: Any) -> Any:
        parts = sizes if isinstance(sizes, tuple) else (sizes,)
        if len(parts) != self.rank:
            raise ConfigError(f"{self.name} takes {self.rank} size{'s' * (self.rank > 1)}, {len(parts)} given")
        caller = sys._getframe(1)
        scope = {**caller.f_globals, **caller.f_locals}
        return self.kind[np.ndarray, " ".join(axis(part, scope) for part in parts)]

    def __repr__(self) -> str:
        return self.name


def axis(size: Any, scope: Mapping[str, Any]) -> str:
    """One size as jaxtyping writes an axis; `_` (any size) for what has no name at run time."""
    if isinstance(size, str):
        if "int" in NAME.findall(size):
            return "_"  # arithmetic of any number
        return re.sub(r"\s", "", NAME.sub(lambda found: _name(found[0], scope), size))
    if isinstance(size, bool):
        raise ConfigError(f"a size is a number, a name or a string of arithmetic, not {size}")
    if isinstance(size, int):
        return str(size)
    if isinstance(size, TypeVar):
        return size.__name__
    if get_origin(size) is Literal:
        return str(get_args(size)[0])
    if size is int or size is Any:
        return "_"
    return getattr(size, "__name__", "_")  # a NewType of int is a named axis


def _name(name: str, scope: Mapping[str, Any]) -> str:
    """What a (dotted) name inside a string stands for; the name itself where it is not known."""
    first, *rest = name.split(".")
    if first not in scope:
        return name
    value = scope[first]
    for attribute in rest:
        value = getattr(value, attribute)
    return name if isinstance(value, str) else axis(value, scope)
