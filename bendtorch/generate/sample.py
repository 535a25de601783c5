"""The choice of the next token from the logits: the likeliest, or one drawn from the likelier ones.

Logits are divided by the temperature; of the tokens, the `top_k` likeliest stay, and of these the fewest whose
probabilities sum to `top_p`; one of them is drawn by its probability. Where tokens are equally likely, the first come
first. Probabilities are computed in float64, from one random number for a token, so a key names the text.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, NonFiniteError
from bendtorch.keys import Key
from bendtorch.shapes.arguments import shown
from bendtorch.shapes.arrays import FlatF32

Candidates: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """How to choose: a temperature of 0 takes the likeliest token, 1 draws from the model's own distribution.

    Raises `ConfigError` for a temperature that is negative or not finite, a `top_k` below 1 or no int, a `top_p`
    outside of (0, 1].
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        t, k, p = self.temperature, self.top_k, self.top_p
        _require("temperature", _is_number(t) and t >= 0, "a finite number of at least 0", t)
        _require("top_k", k is None or (type(k) is int and k >= 1), "an int of at least 1", k)
        _require("top_p", p is None or (_is_number(p) and 0 < p <= 1), "above 0 and at most 1", p)

    def pick(self, logits: FlatF32, key: Key | None = None) -> int:
        """A token. The key is used up: take another one for the next token, such as `key.fold(i)`.

        Raises `NonFiniteError` when a logit is NaN or +inf or all are -inf, `ConfigError` when a key is needed and
        missing, `DtypeError` when the logits are no float32 vector.
        """
        best = likeliest(logits)
        if self.temperature == 0 or self.top_k == 1:
            return best
        if not isinstance(key, Key):
            raise ConfigError(
                f"sampling at temperature {self.temperature:g} needs a key, such as Key(0), got {shown(key)};"
                " temperature=0 needs none"
            )
        tokens = np.arange(logits.size) if self.top_k is None else _largest(logits, self.top_k)
        below = logits[tokens].astype(np.float64) - float(logits[best])
        with np.errstate(over="ignore"):  # a small temperature leaves only the likeliest
            weights = np.exp(below / self.temperature)
        if self.top_p is not None and self.top_p < 1:
            chosen = _nucleus(weights, self.top_p)
            tokens, weights = tokens[chosen], weights[chosen]
        return int(tokens[_drawn(weights, key)])


def likeliest(logits: FlatF32) -> int:
    """The token with the largest logit, the first of them. Raises as `Sampler.pick` does."""
    if not isinstance(logits, np.ndarray) or logits.dtype != np.float32 or logits.ndim != 1 or logits.size == 0:
        raise DtypeError(f"logits must be a float32 vector, got {shown(logits)}")
    best = int(np.argmax(logits))  # of NaN too, where there is one
    if not math.isfinite(float(logits[best])):
        raise NonFiniteError(
            f"the largest logit, of token {best}, is {logits[best]}; the model's weights are not finite,"
            " or too large for these inputs"
        )
    return best


def _largest(logits: FlatF32, k: int) -> Candidates:
    """The tokens with the k largest logits, in their order; of equal ones at the end the first."""
    if k >= logits.size:
        return np.arange(logits.size)
    least = np.partition(logits, logits.size - k)[logits.size - k]
    is_chosen = logits > least
    equal = np.flatnonzero(logits == least)
    is_chosen[equal[: k - np.count_nonzero(is_chosen)]] = True
    return np.flatnonzero(is_chosen)


def _nucleus(weights: Any, p: float) -> Candidates:
    """The places of the fewest weights that are p of the sum, in their order; of equal ones the first."""
    total = weights.sum()
    likely = np.flatnonzero(weights * weights.size >= (1 - p) * total)  # all others together are less than 1 - p
    order = likely[np.argsort(-weights[likely], kind="stable")]
    count = int(np.searchsorted(np.cumsum(weights[order]), p * total)) + 1
    return np.sort(order[:count])


def _drawn(weights: Any, key: Key) -> int:
    """A place, by its weight."""
    sums = np.cumsum(weights)
    unit = int(key.bits(1)[0]) * 2.0**-64
    return min(int(np.searchsorted(sums, unit * sums[-1], side="right")), int(np.flatnonzero(weights)[-1]))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _require(name: str, holds: bool, what: str, value: object) -> None:
    if not holds:
        raise ConfigError(f"Sampler: {name} must be {what}, got {shown(value)}")
