"""The keys and values of the tokens that a decoder has read: they grow with the text, up to the model's context."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.kernels.arrays import Flat, Matrix
from bendtorch.kernels.decode import Cache, Room
from bendtorch.layers.rope import rope_tables
from bendtorch.models.config import AnyLlama

FIRST: Final = 256  # positions


class Positions:
    """Room for `capacity` positions, and how many of them are used, `count`.

    The capacity doubles when it is used up, so a text of n tokens copies less than n rows. It ends at `context`.
    """

    def __init__(self, config: AnyLlama, context: int) -> None:
        self.config, self.context = config, context
        self.count = self.capacity = 0
        self.cache, self.heads = self._arrays(0)
        self.require(min(FIRST, context))

    def require(self, more: int) -> None:
        """Make room for more positions. Raises `ConfigError` when they are more than the context has."""
        wanted = self.count + more
        if wanted > self.context:
            raise ConfigError(
                f"Decoder: {self.count} tokens and {more} more do not fit into the context of {self.context};"
                " begin anew with rewind(), or build it with a larger context if the model was trained for it"
            )
        if wanted > self.capacity:
            self._grow(min(self.context, max(wanted, 2 * self.capacity, FIRST)))

    def _grow(self, capacity: int) -> None:
        used, old = self.count, self.cache
        self.cache, self.heads = self._arrays(capacity)
        self.cache.keys[:, :used] = old.keys[:, :used]
        self.cache.values[:, :used] = old.values[:, :used]
        self.capacity = capacity

    def _arrays(self, capacity: int) -> tuple[Cache, Matrix]:
        """Keys, values, angles and room for scores."""
        config, hd = self.config, self.config.head_dim
        shape = config.depth, capacity, config.key_heads * hd
        cos, sin, _ = rope_tables(capacity, config.half, float(config.base), 0)
        cache = Cache(np.empty(shape, np.float32), np.empty(shape, np.float32), cos, sin)
        return cache, np.empty((config.heads, hd + capacity), np.float32)


def room_of(config: AnyLlama, heads: Matrix) -> Room:
    """Working space for one token."""
    wide, narrow = config.heads * config.head_dim, config.key_heads * config.head_dim
    return Room(
        x=_row(config.width).reshape(1, -1),
        h=_row(config.width).reshape(1, -1),
        root=_row(1).reshape(1, 1),
        qkv=_row(wide + 2 * narrow),
        turned=_row(wide).reshape(1, -1),
        attended=_row(wide),
        gate=_row(config.inner),
        up=_row(config.inner),
        inner=_row(config.inner),
        heads=heads,
        logits=_row(config.vocabulary),
    )


def _row(size: int) -> Flat:
    return np.empty(size, np.float32)
