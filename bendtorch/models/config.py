"""The sizes and constants of a Llama, in one frozen record: what a file says of a model, and what builds it.

    config = LlamaConfig(vocabulary=65, width=128, key_heads=2, groups=2, half=16, inner=384, depth=4)
    model = config.model(8, 64)          # Layer[Any, Ids[512], Mat[512, 65], Any]

The sizes are in the record's type, so a function of a `LlamaConfig[V, D, KV, G, HALF, F]` is checked for all of them,
also where they were read from a file.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.layer import Layer
from bendtorch.models.llama import BASE, EPS, Llama, LlamaUntied
from bendtorch.shapes.arguments import shown
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import HALF, KV, B, D, Dim, F, G, T, V

SIZES: Final = ("vocabulary", "width", "key_heads", "groups", "half", "inner", "depth")


@dataclass(frozen=True)
class LlamaConfig(Generic[V, D, KV, G, HALF, F]):
    """What a Llama is made of.

    - `vocabulary` tokens; `width` of the rows between the blocks; `depth` blocks.
    - `key_heads` heads of keys and values, with `groups` heads of queries for each, all of `2·half` numbers, which need
      not divide the width.
    - `inner`: the width inside the feed-forward layers.
    - `eps` of the norms, `base` of the rotation's angles; `tied`: the table of tokens is the output's weight too.
    - `positions`: the longest sequence the model is meant for, where that is known.
    - `bos`: the token that begins a text, where there is one; `eos`: those that end one.

    Raises `ConfigError` when one of them is impossible.
    """

    vocabulary: Dim[V]
    width: Dim[D]
    key_heads: Dim[KV]
    groups: Dim[G]
    half: Dim[HALF]
    inner: Dim[F]
    depth: int
    eps: float = EPS
    base: float = BASE
    tied: bool = True
    positions: int | None = None
    bos: int | None = None
    eos: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in SIZES:
            _require(name, _is_count(getattr(self, name)), "an int of at least 1", getattr(self, name))
        _require("eps", _is_number(self.eps, 0), "a finite number from 0 on", self.eps)
        _require("base", _is_number(self.base, 1), "a finite number of at least 1", self.base)
        _require("tied", isinstance(self.tied, bool), "True or False", self.tied)
        _require("positions", self.positions is None or _is_count(self.positions), "an int from 1 on", self.positions)
        _require("eos", isinstance(self.eos, tuple), "a tuple of tokens", self.eos)
        for name, token in (("bos", self.bos), *(("eos", token) for token in self.eos)):
            is_token = type(token) is int and 0 <= token < self.vocabulary
            missing = name == "bos" and token is None
            _require(name, is_token or missing, f"a token from 0 to {self.vocabulary - 1}", token)

    def model(self, b: Dim[B], t: Dim[T], *, dropout: float = 0.0) -> Layer[Any, Ids["B*T"], Mat["B*T", V], Any]:
        """The model on b sequences of t tokens. Models of one configuration share their parameters."""
        v, d, f = self.vocabulary, self.width, self.inner
        kv, g, half = self.key_heads, self.groups, self.half
        make = Llama if self.tied else LlamaUntied
        return make(b, t, v, d, kv, g, half, f, self.depth, eps=self.eps, base=self.base, dropout=dropout)

    @property
    def head_dim(self) -> int:
        """The numbers of a head."""
        return 2 * self.half

    @property
    def heads(self) -> int:
        """The heads of queries."""
        return self.key_heads * self.groups

    def count(self) -> int:
        """How many parameters the model has."""
        attention = (2 * self.heads + 2 * self.key_heads) * self.head_dim * self.width
        block = attention + 3 * self.width * self.inner + 2 * self.width
        tables = 1 if self.tied else 2
        return tables * self.vocabulary * self.width + self.depth * block + self.width


AnyLlama: TypeAlias = LlamaConfig[Any, Any, Any, Any, Any, Any]
"""A configuration of whatever sizes, for functions that do no arithmetic with them."""


def _require(name: str, holds: bool, what: str, value: object) -> None:
    if not holds:
        raise ConfigError(f"LlamaConfig: {name} must be {what}, got {shown(value)}")


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 1


def _is_number(value: object, least: int) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= sys.float_info.max
