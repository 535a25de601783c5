"""A Llama that reads a text token by token and says what may come next, without computing what it has seen again.

    decoder = Decoder(config, weights_of(model, p))
    logits = decoder.read(ids)          # all of them in one pass
    logits = decoder.read([token])      # and one more

The keys and values of all tokens read are kept. The logits are those of the model's forward pass on the whole text, up
to rounding (L70): the sums are the same, taken in another order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, IndexRangeError, ShapeError
from bendtorch.generate.cache import Positions, room_of
from bendtorch.generate.prompt import Prompt
from bendtorch.generate.weights import Storage, Weights
from bendtorch.kernels import pool
from bendtorch.kernels.arrays import Labels
from bendtorch.kernels.decode import decode, output
from bendtorch.kernels.labels import first_outside
from bendtorch.models.config import AnyLlama, LlamaConfig
from bendtorch.shapes.arguments import expect, shown
from bendtorch.shapes.arrays import FlatF32

Tokens: TypeAlias = Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int32 | np.int64]]

USUAL_CONTEXT: Final = 2048


class Decoder:
    """A model of `config` with its weights in dump order (`weights_of`), ready to read.

    - `storage`: "float32" reads the weights where they are, so that a change of them is seen (`rewind` then, for the
      keys and values of what was read stay as they are); "bfloat16" and "float16" keep a rounded copy of half the
      size, which is read in half the time.
    - `context`: the most tokens it reads; the model's `positions` where none is given (2048 where it has none). Memory
      for them is taken as they come: 2·depth·key heads·head width numbers each.

    `position` is how many tokens it has read.

    Raises `ConfigError` for an impossible option, `DtypeError` or `ShapeError` when the weights are not those of such a
    model.

    Law: L70.
    """

    def __init__(
        self, config: AnyLlama, weights: FlatF32, *, storage: Storage = "float32", context: int | None = None
    ) -> None:
        expect("Decoder", "config", config, LlamaConfig, "a LlamaConfig")
        pool.start()
        self.config, self.storage = config, storage
        self.context = _context(config, context)
        self._weights = Weights.stored(config, weights, storage)
        self._prompt = Prompt(config, self._weights)
        self._positions = Positions(config, self.context)
        self._room = room_of(config, self._positions.heads)
        self._scale = np.float32(1 / math.sqrt(config.head_dim))

    @property
    def position(self) -> int:
        """How many tokens it has read."""
        return self._positions.count

    def rewind(self, position: int = 0) -> None:
        """Forget the tokens from a position on; all of them if none is given. Raises `ConfigError` for a later one."""
        if type(position) is not int or not 0 <= position <= self.position:
            raise ConfigError(
                f"Decoder.rewind: position must be an int from 0 to {self.position}, got {shown(position)}"
            )
        self._positions.count = position

    def read(self, ids: Tokens) -> FlatF32:
        """The logits of the token after `ids`, which come after all that was read before. A new array.

        One token takes the time of reading the weights once; many are computed together.

        Raises `DtypeError`, `ShapeError` (no token) or `IndexRangeError` for what is no token, and `ConfigError` where
        the context is full; nothing is read then.
        """
        tokens = self._guarded(ids)
        self._positions.require(tokens.size)
        self._room = self._room._replace(heads=self._positions.heads)
        cells, gains, layout = self._weights.cells, self._weights.gains, self._weights.layout
        eps = float(self.config.eps)
        if tokens.size == 1:
            cache, g = self._positions.cache, self.config.groups
            decode(tokens, self.position, cells, gains, layout, g, eps, self._scale, cache, self._room)
        else:
            self._room.x[:] = self._prompt.read(tokens, self.position, self._positions.cache)
            output(cells, gains, layout, eps, self._room)
        self._positions.count += tokens.size
        return self._room.logits.copy()

    def _guarded(self, ids: Tokens) -> Labels:
        """The tokens as an array."""
        tokens = _as_array(ids)
        if tokens.size == 0:
            raise ShapeError("Decoder.read: there is no token; give at least one, such as the one that begins a text")
        bad = first_outside(tokens, self.config.vocabulary)
        if bad >= 0:
            raise IndexRangeError(
                f"Decoder.read: ids[{bad}] is {tokens[bad]}, the tokens are 0 to {self.config.vocabulary - 1}"
            )
        return tokens

    def __repr__(self) -> str:
        return f"Decoder({self.config}, storage={self.storage!r}, context={self.context})"


def _as_array(ids: Any) -> Labels:
    try:
        array = ids if isinstance(ids, np.ndarray) else np.array(list(ids) or np.empty(0, np.int64))
    except (TypeError, ValueError):  # nothing to iterate over, or lists of several lengths
        array = np.empty(0, object)
    if array.dtype not in (np.int64, np.int32) or array.ndim != 1:
        raise DtypeError(f"Decoder.read: ids must be a sequence of ints or an array of them, got {shown(ids)}")
    return np.array(array, np.int64)


def _context(config: AnyLlama, context: int | None) -> int:
    """How many tokens it may read."""
    if context is None:
        return config.positions or USUAL_CONTEXT
    if type(context) is not int or context < 1:
        raise ConfigError(f"Decoder: context must be an int of at least 1, got {shown(context)}")
    return context
