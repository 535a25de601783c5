"""Random operations. Each takes the key of its numbers: the same key gives the same result, whatever else is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.grad.arrays import new_array
from bendtorch.grad.lazy import Lazy, deferred
from bendtorch.grad.rule import Linear
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Array, Var
from bendtorch.kernels.dropout import dropout as kernel
from bendtorch.keys import Key
from bendtorch.layers.dropout import thinning


@dataclass(frozen=True, slots=True)
class DropoutRule(Linear):
    """Numbers times a mask, which is computed where it is used: `word` names it."""

    word: int
    rate: float
    name = "dropout"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, later."""
        return deferred(xs[0].shape, self._masked, xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The same mask."""
        return d.graph.record1(self, d)

    def _masked(self, x: Array) -> Array:
        out = new_array(x.shape)
        threshold, scale = thinning(self.rate)
        matrices: list[Any] = [x.reshape(1, -1), out.reshape(1, -1)]
        if x.size:
            kernel(matrices[0], self.word, threshold, scale, matrices[1])
        return out


def dropout(x: Var, key: Key, p: float) -> Var:
    """x with each element zeroed at rate p, by the mask of the key, and the rest scaled by 1 / (1 - p).

    The mask is the hash of the layer `Dropout` at the key's first 32 bits. p = 0 is the identity, p = 1 gives zeros.
    Raises `ConfigError` for another p, or what is no key.
    """
    guard_vars("dropout", x)
    rate = checked_rate("dropout", p)
    if not isinstance(key, Key):
        raise ConfigError(f"dropout: expected a Key, such as Key(0), got {key!r}")
    if rate == 0:
        return x
    return x.graph.record1(DropoutRule(int(key.bits(1)[0]) & 0xFFFFFFFF, rate), x)


def checked_rate(operation: str, p: float) -> float:
    """A probability."""
    if isinstance(p, bool) or not isinstance(p, (int, float, np.floating)) or not 0 <= p <= 1:
        raise ConfigError(f"{operation}: the rate is the probability to drop an element, from 0 to 1, got {p!r}")
    return float(p)
