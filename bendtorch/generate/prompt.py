"""Many tokens at once through a Llama: the text that comes before what is generated.

The products are those of the layers, matrices with matrices, so a token costs a small part of what decoding it costs.
Weights kept in 16 bits are widened one matrix at a time. A long text is read in runs of `RUN` tokens, which bounds the
memory: each run's queries see the keys of all runs before it.
"""

from __future__ import annotations

import math
from typing import Final, cast

import numpy as np

from bendtorch.generate.weights import FIRST_NORM, SECOND_NORM, Weights
from bendtorch.kernels.activation import silu_forward
from bendtorch.kernels.arrays import Labels, Matrix
from bendtorch.kernels.attention_forward import Inputs, attention_forward
from bendtorch.kernels.attention_grid import Heads
from bendtorch.kernels.decode import Cache
from bendtorch.kernels.elementwise import add, multiply
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.products import matmul_nt
from bendtorch.kernels.rms_norm import rms_norm_forward
from bendtorch.kernels.rope import rotate
from bendtorch.kernels.widen import Stored, wide_rows, widen_all
from bendtorch.models.config import AnyLlama

RUN: Final = 512  # tokens


class Prompt:
    """Reads tokens into a cache, for one set of weights."""

    def __init__(self, config: AnyLlama, weights: Weights) -> None:
        self.config, self.weights = config, weights
        self.scale = 1 / math.sqrt(config.head_dim)

    def read(self, ids: Labels, position: int, cache: Cache) -> Matrix:
        """The row of the last token behind all blocks; the keys and values of all go into the cache."""
        for low in range(0, ids.size, RUN):
            x = self._run(ids[low : low + RUN], position + low, cache)
        return x[-1:]

    def _run(self, ids: Labels, position: int, cache: Cache) -> Matrix:
        x = _empty(ids.size, self.config.width)
        wide_rows(self.weights.cells, self.weights.layout.table, ids, x)
        for block in range(self.config.depth):
            x = self._sum(x, self._attention(block, self._norm(x, block, FIRST_NORM), position, cache))
            x = self._sum(x, self._feed_forward(block, self._norm(x, block, SECOND_NORM)))
        return x

    def _attention(self, block: int, h: Matrix, position: int, cache: Cache) -> Matrix:
        n, end = len(h), position + len(h)
        keys, values = cache.keys[block, :end], cache.values[block, :end]
        cos, sin = cache.cos[position:end], cache.sin[position:end]
        turned = _empty(n, self.weights.shapes["q"][0])
        rotate(self._product(block, "q", h), cos, sin, False, turned)
        rotate(self._product(block, "k", h), cos, sin, False, keys[position:])
        values[position:] = self._product(block, "v", h)
        c = self.config
        heads = Heads(n, end, c.key_heads, c.groups, c.head_dim, True, position)
        inputs = Inputs(turned, keys, values, np.full(1, end, np.int64))
        return self._product(block, "o", attention_forward(inputs, heads, self.scale))

    def _feed_forward(self, block: int, h: Matrix) -> Matrix:
        gate = self._product(block, "gate", h)
        opened, inner = _empty(len(h), self.config.inner), _empty(len(h), self.config.inner)
        silu_forward(gate, opened)
        multiply(opened, self._product(block, "up", h), inner)
        return self._product(block, "down", inner)

    def _product(self, block: int, name: str, x: Matrix) -> Matrix:
        """x·Wᵀ."""
        cells, (rows, columns) = self.weights.matrix(block, name), self.weights.shapes[name]
        y = _empty(len(x), rows)
        w = self._wide(cells, rows, columns)
        matmul_nt(x, w, y)
        return y

    @staticmethod
    def _wide(cells: Stored, rows: int, columns: int) -> Matrix:
        """A matrix in float32: its own memory, where it is kept so."""
        if cells.dtype == np.float32:
            return cast("Matrix", cells.reshape(rows, columns))
        w = _empty(rows, columns)
        widen_all(cells, w.reshape(-1))
        return w

    def _norm(self, x: Matrix, block: int, name: str) -> Matrix:
        h, roots = _empty(*x.shape), _empty(len(x), 1)
        rms_norm_forward(x, self.weights.gain(block, name).reshape(1, -1), self.config.eps, h, roots)
        return h

    @staticmethod
    def _sum(x: Matrix, y: Matrix) -> Matrix:
        out = _empty(*x.shape)
        add(x, y, out)
        return out


def _empty(rows: int, columns: int) -> Matrix:
    return empty_mat(rows, columns)
