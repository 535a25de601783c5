"""A Llama's weights as decoding reads them: one run of cells, in float32 or in 16 bits.

The order is that of the model's dump. float32 weights are read where they are; bfloat16 and float16 are a copy of half
the size, rounded to nearest even, with the norms' gains beside it in float32. Products widen them, which is exact, and
sum in float32: what differs from the model is the rounding of the weights alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.decode import Layout
from bendtorch.kernels.widen import Stored, narrow_all
from bendtorch.laws.nest import arrays_in
from bendtorch.layer import Layer
from bendtorch.layer.arguments import expect_layer
from bendtorch.layer.counter import counter_cells
from bendtorch.models.config import AnyLlama
from bendtorch.shapes.arguments import shown
from bendtorch.shapes.arrays import FlatF32

P = TypeVar("P")

Storage: TypeAlias = Literal["float32", "bfloat16", "float16"]

STORAGES: Final = get_args(Storage)
MOST_FLOAT16: Final = 65504.0
FIRST_NORM, SECOND_NORM = "first norm", "second norm"


def weights_of(model: Layer[P, Any, Any, Any], p: P) -> FlatF32:
    """A model's weights in dump order, without the counters that Dropout keeps among them: what `Decoder` takes.

    Parameters that lie in one array already, in that order, as those of `load_llama`, `load_gguf` and `Train` do, are
    given as that array; others are copied.
    """
    expect_layer("weights_of", model)
    flat = _buffer_of(model, p)
    if flat is None:
        flat = model.dump(p)
    counters = counter_cells(model.leaves)
    return np.delete(flat, counters) if counters else flat


def _buffer_of(model: Layer[P, Any, Any, Any], p: P) -> FlatF32 | None:
    """The array that the parameters are views of, from its first number to its last; None where there is no such."""
    arrays = arrays_in(p)
    base: Any = arrays[0].base if arrays else None
    if model.view is None or not (isinstance(base, np.ndarray) and base.dtype == np.float32 and base.ndim == 1):
        return None
    views = arrays_in(model.view(base, 0)) if base.size == model.count() else []
    return base if [_place(array) for array in views] == [_place(array) for array in arrays] else None


def _place(array: Any) -> tuple[Any, ...]:
    """Where an array lies in memory, and how."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


@dataclass(frozen=True)
class Weights:
    """The cells of all matrices, the gains of the norms, and where each begins."""

    cells: Stored
    gains: Flat
    layout: Layout
    shapes: dict[str, tuple[int, int]]
    places: dict[str, int]

    @staticmethod
    def stored(config: AnyLlama, weights: FlatF32, storage: Storage) -> Weights:
        """The weights in a storage.

        Raises `DtypeError` or `ShapeError` when they are not those of a model of `config`, and `ConfigError` for
        another storage or one that cannot hold them.
        """
        if storage not in STORAGES:
            raise ConfigError(f"Decoder: storage must be one of {', '.join(STORAGES)}, got {shown(storage)}")
        flat, shapes = guard_weights(config, weights), _shapes(config)
        places = dict(zip((*shapes, "end"), accumulate(map(prod, shapes.values()), initial=0), strict=True))
        layout = _layout(config, places)
        if storage == "float32":
            return Weights(flat, flat, layout, shapes, places)
        return Weights(_narrowed(flat, storage), *_apart(config, flat, layout), shapes, places)

    def matrix(self, block: int, name: str) -> Stored:
        """The cells of a matrix of a block."""
        start = self.layout.blocks + block * self.layout.block + self.places[name]
        return self.cells[start : start + prod(self.shapes[name])]

    def gain(self, block: int, name: str) -> Flat:
        """The gains of a block's norm, `FIRST_NORM` or `SECOND_NORM`."""
        at = self.layout
        start = (at.gain if name == FIRST_NORM else at.other_gain) + block * at.gains
        return self.gains[start : start + prod(self.shapes[name])]


def guard_weights(config: AnyLlama, weights: FlatF32) -> Flat:
    """The weights when they are a flat float32 array of as many numbers as the model has; a copy of strided ones."""
    if not isinstance(weights, np.ndarray) or weights.dtype != np.float32 or weights.ndim != 1:
        raise DtypeError(
            f"Decoder: weights must be a flat float32 array, got {shown(weights)}; weights_of(model, p) gives it"
        )
    if weights.size != config.count():
        raise ShapeError(
            f"Decoder: a model of this configuration has {config.count()} weights, got {weights.size};"
            " weights_of(model, p) gives those of a model, without Dropout's counters"
        )
    return weights if weights.flags.carray else np.array(weights, np.float32)


def _shapes(config: AnyLlama) -> dict[str, tuple[int, int]]:
    """The rows and columns of a block's parameters, in dump order."""
    d, f, hd = config.width, config.inner, config.head_dim
    wide, narrow = config.heads * hd, config.key_heads * hd
    attention = {FIRST_NORM: (1, d), "q": (wide, d), "k": (narrow, d), "v": (narrow, d), "o": (d, wide)}
    return {**attention, SECOND_NORM: (1, d), "gate": (f, d), "up": (f, d), "down": (d, f)}


def _layout(config: AnyLlama, places: dict[str, int]) -> Layout:
    """Where everything begins, with the gains among the cells."""
    blocks, block = config.vocabulary * config.width, places["end"]
    last = blocks + config.depth * block
    return Layout(
        table=0,
        blocks=blocks,
        block=block,
        output=0 if config.tied else last + config.width,
        qkv=places["q"],
        o=places["o"],
        gated=places["gate"],
        down=places["down"],
        gain=blocks + places[FIRST_NORM],
        other_gain=blocks + places[SECOND_NORM],
        gains=block,
        last_gain=last,
    )


def _apart(config: AnyLlama, flat: Flat, at: Layout) -> tuple[Flat, Layout]:
    """The gains of all norms, one after another, and the layout that finds them there."""
    d = config.width
    starts = [start + i * at.gains for i in range(config.depth) for start in (at.gain, at.other_gain)]
    gains: Flat = np.concatenate([flat[start : start + d] for start in (*starts, at.last_gain)])
    return gains, at._replace(gain=0, other_gain=d, gains=2 * d, last_gain=2 * d * config.depth)


def _narrowed(flat: Flat, storage: Storage) -> Stored:
    """The weights in 16 bits."""
    if storage == "bfloat16":
        cells = np.empty(flat.size, np.uint16)
        narrow_all(flat, cells)
        return cells
    with np.errstate(over="ignore"):
        halves = flat.astype(np.float16)
    if not np.isfinite(halves).all():
        worst = float(np.abs(flat).max())
        raise ConfigError(
            f"Decoder: float16 holds numbers up to {MOST_FLOAT16:g}, the largest weight is {worst:g};"
            ' take storage="bfloat16"'
        )
    return halves.view(np.int16)
