"""Attention over queries, keys and values of different lengths and widths, by the kernels of the layer.

    q: (b, tq, d)      k: (b, tk, d)      v: (b, tk, e)      y: (b, tq, e)

    y = Σ p_j·v_j,    p = softmax(scale · q·k_j)    over the keys j that a query sees

With heads, columns are heads side by side: q is (b, tq, heads·group·d), k (b, tk, heads·d), v (b, tk, heads·e), and
query head i reads key head i // group. The backward pass computes the probabilities again: nothing of size tq × tk is
kept. With dropout, the probabilities of a pass are there as long as the pass takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.grad.arrays import new_array
from bendtorch.grad.checkpoint import checkpoint
from bendtorch.grad.elementwise import where
from bendtorch.grad.lazy import Lazy, force, known, leaf
from bendtorch.grad.products import batch_matmul
from bendtorch.grad.random import checked_rate, dropout
from bendtorch.grad.reductions import broadcast_to
from bendtorch.grad.rule import Fused
from bendtorch.grad.shapes import permute, reshape
from bendtorch.grad.softmax import softmax
from bendtorch.grad.tape import array_of, guard_vars, held
from bendtorch.grad.var import Array, Var
from bendtorch.kernels.attention_backward import attention_backward
from bendtorch.kernels.attention_forward import Inputs, attention_forward
from bendtorch.kernels.attention_grid import Heads
from bendtorch.keys import Key


@dataclass(frozen=True, slots=True)
class AttentionRule(Fused):
    """Attention without dropout. `d` and `e` are the widths of a head's keys and values."""

    heads: int
    group: int
    d: int
    e: int
    scale: float
    causal: bool
    offset: int
    name = "attention"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        q, k, v = force(*xs)
        b, queries, keys = q.shape[0], q.shape[1], k.shape[1]
        shape = (b, queries, self.heads * self.group * self.e)
        if keys == 0 or math.prod(shape) == 0:
            return known(np.zeros(shape, np.float32))
        y = attention_forward(self._inputs(q, k, v), self._heads(queries, keys), self.scale)
        return known(_cut(y, (b, queries, self.heads * self.group), self.e))

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """By the layer's kernel, of all three together."""
        q, k, v = map(array_of, xs)
        (b, queries), keys, count = q.shape[:2], k.shape[1], self.heads * self.group
        if k.size == 0 or out.lazy.size == 0:
            return held(d, *(np.zeros(x.shape, np.float32) for x in xs))
        dy = _padded(array_of(d), count, self.e, self._width)
        dq, dk, dv = attention_backward(self._inputs(q, k, v), dy, self._heads(queries, keys), self.scale)
        return held(
            d,
            _cut(dq, (b, queries, count), self.d),
            _cut(dk, (b, keys, self.heads), self.d),
            _cut(dv, (b, keys, self.heads), self.e),
        )

    def definition(self, *xs: Var) -> Var:
        """With the probabilities as a value."""
        return self.weighed(xs, 0.0, None)

    def weighed(self, xs: Sequence[Var], rate: float, key: Key | None) -> Var:
        """Products, a softmax, dropout and a product."""
        q, k, v = xs
        b, queries, keys = q.shape[0], q.shape[1], k.shape[1]
        by_head = [self._split(x, width) for x, width in ((q, self.d), (k, self.d), (v, self.e))]
        scores = batch_matmul(by_head[0], by_head[1], tb=True) * self.scale
        if self.causal:
            seen = np.tri(queries, keys, self.offset, dtype=np.float32)
            scores = where(scores.graph.hold(leaf(seen)), scores, -math.inf)
        weights = softmax(scores)
        if rate > 0:
            assert key is not None
            weights = dropout(weights, key, rate)
        y = reshape(batch_matmul(weights, by_head[2]), (b, self.heads * self.group, queries, self.e))
        return reshape(permute(y, (0, 2, 1, 3)), (b, queries, self.heads * self.group * self.e))

    def _split(self, x: Var, width: int) -> Var:
        """The heads as a batch: (b·heads·group, t, width). A head that a group reads is there once for each."""
        b, t, columns = x.shape
        count = self.heads * self.group
        if columns != count * width:
            x = reshape(x, (b, t, self.heads, 1, width))
            x = broadcast_to(x, (b, t, self.heads, self.group, width))
        x = permute(reshape(x, (b, t, count, width)), (0, 2, 1, 3))
        return reshape(x, (b * count, t, width))

    @property
    def _width(self) -> int:
        """The kernel has one width for keys and values: the narrower ones are padded with zeros."""
        return max(self.d, self.e)

    def _inputs(self, q: Array, k: Array, v: Array) -> Inputs:
        b, keys = k.shape[0], k.shape[1]
        return Inputs(
            _padded(q, self.heads * self.group, self.d, self._width),
            _padded(k, self.heads, self.d, self._width),
            _padded(v, self.heads, self.e, self._width),
            np.full(b, keys, np.int64),
        )

    def _heads(self, queries: int, keys: int) -> Heads:
        return Heads(queries, keys, self.heads, self.group, self._width, self.causal, self.offset)


def _padded(x: Array, count: int, width: int, wanted: int) -> Any:
    """The rows of x as a matrix whose heads have zeros behind them."""
    rows = x.shape[0] * x.shape[1]
    if width == wanted:
        return x.reshape(rows, count * width)
    out = new_array((rows, count, wanted))
    out[:, :, :width] = x.reshape(rows, count, width)
    out[:, :, width:] = 0
    return out.reshape(rows, count * wanted)


def _cut(x: Array, lead: tuple[int, int, int], width: int) -> Array:
    """The inverse, as an array of three axes."""
    b, t, count = lead
    wide = x.reshape(b, t, count, x.shape[1] // count)
    return np.ascontiguousarray(wide[..., :width]).reshape(b, t, count * width)


def attention(
    q: Var,
    k: Var,
    v: Var,
    *,
    scale: float | None = None,
    causal: bool = False,
    rate: float = 0.0,
    key: Key | None = None,
    heads: int = 1,
    group: int = 1,
    offset: int = 0,
) -> Var:
    """Scaled dot-product attention: PyTorch's `F.scaled_dot_product_attention(q, k, v, is_causal=causal, …)`.

    `scale` is 1/√d where none is given. If causal, the query at position i sees the keys j <= i + offset. `rate` is the
    probability to drop a weight, by the mask of `key`. There are `heads` key heads, each read by `group` query heads,
    side by side in the columns.

    Raises `ShapeError` for shapes that do not fit, `ConfigError` for other options that are not possible.
    """
    guard_vars("attention", q, k, v)
    _check_options(heads, group, offset, causal)
    d, e = _widths(q, k, v, heads, group)
    factor = checked_scale(scale, d)
    if factor <= 0:  # the kernel looks for the largest score
        q, factor = q * factor, 1.0
    rule = AttentionRule(heads, group, d, e, factor, causal, offset)
    if checked_rate("attention", rate) == 0:
        return q.graph.record(rule, q, k, v)
    if not isinstance(key, Key):
        raise ConfigError(f"attention: dropout at rate {rate} needs key=Key(…), got {key!r}")
    return checkpoint([q, k, v], lambda tape, xs: rule.weighed(xs, float(rate), key))


def checked_scale(scale: float | None, d: int) -> float:
    """The factor of the scores."""
    if scale is None:
        return 1 / math.sqrt(max(d, 1))
    if isinstance(scale, bool) or not isinstance(scale, (int, float, np.floating)) or not math.isfinite(scale):
        raise ConfigError(f"attention: scale must be a finite number, or None for 1/√d, got {scale!r}")
    return float(scale)


def _check_options(heads: int, group: int, offset: int, causal: bool) -> None:
    for name, value, least in (("heads", heads, 1), ("group", group, 1), ("offset", offset, 0)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise DtypeError(f"attention: {name} must be an int, got {value!r}")
        if value < least:
            raise ConfigError(f"attention: {name} must be at least {least}, got {value}")
    if not isinstance(causal, bool):
        raise ConfigError(f"attention: causal must be True or False, got {causal!r}")


def _widths(q: Var, k: Var, v: Var, heads: int, group: int) -> tuple[int, int]:
    """The widths of a head's keys and values; refuses shapes that do not fit."""
    shapes = [x.shape for x in (q, k, v)]
    text = f"got the shapes {', '.join(str(list(shape)) for shape in shapes)}"
    if any(len(shape) != 3 for shape in shapes) or len({shape[0] for shape in shapes}) != 1:
        raise ShapeError(f"attention: q, k and v must be (b, t, columns) with one b, {text}")
    (_, _, wide), (_, keys, narrow), (_, values, columns) = shapes
    if keys != values or narrow % heads or columns % heads or wide != narrow * group:
        raise ShapeError(
            f"attention: with {heads} heads of groups of {group}, q must be (b, tq, heads·group·d), k (b, tk, heads·d)"
            f" and v (b, tk, heads·e), {text}"
        )
    return narrow // heads, columns // heads
