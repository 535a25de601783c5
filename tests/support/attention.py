"""Attention in float64, a query at a time: what a query does not see is never touched.

The bounds follow the roundings of float32 through the formulas: an error of a score is one of its exponential, relative
to it; those of the weights, of dP and of its mean are errors of dS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.support.references import TINY, UNIT, Bounded, Gradients, Reference


@dataclass(frozen=True)
class Heads:
    """The sizes, and what a query sees."""

    b: int
    t: int
    kv: int
    g: int
    hd: int
    scale: float
    causal: bool

    def seen(self, i: int, length: int) -> int:
        """How many keys query i sees, of a sequence of that length."""
        return min(i + 1, length) if self.causal else length

    def apart(self, x: Any) -> tuple[Any, Any, Any]:
        """q with heads as b × t × kv × g × hd; k and v as b × t × kv × hd."""
        q, (k, v) = x
        narrow = (self.b, self.t, self.kv, self.hd)
        return q.reshape(*narrow[:3], self.g, self.hd), k.reshape(narrow), v.reshape(narrow)


@dataclass
class Row:
    """One query of all heads: kv × g × (keys seen). Weights p with the bounds of their errors."""

    p: Any
    p_error: Any

    @classmethod
    def of(cls, heads: Heads, q: Any, k: Any) -> Row:
        """From the query, and the keys it sees."""
        products = np.einsum("kgd,ckd->kgc", q, k)
        error = heads.scale * (heads.hd + 2) * UNIT * np.einsum("kgd,ckd->kgc", np.abs(q), np.abs(k))
        top = products.max(-1, keepdims=True)
        nothing = top == -np.inf
        x = heads.scale * (products - np.where(nothing, 0, top))
        e = np.exp(x)
        total = np.where(nothing, 1, e.sum(-1, keepdims=True))
        p, terms = e / total, products.shape[-1] + 6
        relative = np.expm1(2 * (error + error.max(-1, keepdims=True)) + 4 * UNIT * np.abs(x) + terms * UNIT)
        return cls(p, p * (relative + np.sum(p * relative, -1, keepdims=True)) + TINY)

    def gradients(self, heads: Heads, d: Any, v: Any) -> tuple[Any, Any]:
        """dS and its bound, from dy and the values seen."""
        dp = np.einsum("kgd,ckd->kgc", d, v)
        sizes = np.einsum("kgd,ckd->kgc", np.abs(d), np.abs(v))
        error = (heads.hd + 2) * UNIT * sizes
        left = dp - np.sum(self.p * dp, -1, keepdims=True)
        left = left - np.sum(self.p * left, -1, keepdims=True)
        terms = dp.shape[-1] + 8
        mean = np.sum(self.p_error * np.abs(dp) + self.p * (error + terms * UNIT * sizes), -1, keepdims=True)
        bound = self.p_error * np.abs(left) + self.p * (error + mean + 4 * UNIT * (np.abs(dp) + np.abs(left)))
        return heads.scale * self.p * left, heads.scale * bound + TINY


def attended(heads: Heads, x: Any, lengths: Any) -> Bounded:
    """The output."""
    q, k, v = heads.apart(x)
    y, bound = np.zeros(q.shape), np.zeros(q.shape)
    for s in range(heads.b):
        for i in range(heads.t):
            c = heads.seen(i, lengths[s])
            if c == 0:
                continue
            row = Row.of(heads, q[s, i], k[s, :c])
            y[s, i] = np.einsum("kgc,ckd->kgd", row.p, v[s, :c])
            error = row.p_error + (c + 4) * UNIT * row.p
            bound[s, i] = np.einsum("kgc,ckd->kgd", error, np.abs(v[s, :c])) + c * TINY
    return Bounded(y.reshape(x[0].shape), bound.reshape(x[0].shape))


def attended_backward(heads: Heads, x: Any, lengths: Any, dy: Any) -> tuple[Any, tuple[Any, Any]]:
    """The gradients of q, k and v."""
    q, k, v = heads.apart(x)
    d = dy.reshape(q.shape)
    value, bound = ([np.zeros(a.shape) for a in (q, k, v)] for _ in range(2))
    terms = heads.t * heads.g + 4
    for s in range(heads.b):
        for i in range(heads.t):
            c = heads.seen(i, lengths[s])
            if c == 0:
                continue
            row = Row.of(heads, q[s, i], k[s, :c])
            ds, error = row.gradients(heads, d[s, i], v[s, :c])
            off = (error + terms * UNIT * np.abs(ds), row.p_error + terms * UNIT * row.p)
            value[0][s, i] = np.einsum("kgc,ckd->kgd", ds, k[s, :c])
            bound[0][s, i] = np.einsum("kgc,ckd->kgd", off[0], np.abs(k[s, :c])) + c * TINY
            value[1][s, :c] += np.einsum("kgc,kgd->ckd", ds, q[s, i])
            bound[1][s, :c] += np.einsum("kgc,kgd->ckd", off[0], np.abs(q[s, i])) + terms * TINY
            value[2][s, :c] += np.einsum("kgc,kgd->ckd", row.p, d[s, i])
            bound[2][s, :c] += np.einsum("kgc,kgd->ckd", off[1], np.abs(d[s, i])) + terms * TINY
    arrays = (x[0], *x[1])
    dq, dk, dv = (Bounded(a.reshape(g.shape), e.reshape(g.shape)) for a, e, g in zip(value, bound, arrays, strict=True))
    return dq, (dk, dv)


def attention(
    b: int, t: int, kv: int, g: int, hd: int, *, scale: float | None = None, causal: bool = True
) -> Reference:
    """The judge of `Attention`."""
    heads = Heads(b, t, kv, g, hd, hd**-0.5 if scale is None else scale, causal)
    everything = [t] * b
    return Reference(
        lambda p, x: attended(heads, x, everything),
        lambda p, x, dy: Gradients(attended_backward(heads, x, everything, dy)),
        by_element=True,
    )


def padded_attention(
    b: int, t: int, kv: int, g: int, hd: int, *, scale: float | None = None, causal: bool = True
) -> Reference:
    """The judge of `PaddedAttention`."""
    heads = Heads(b, t, kv, g, hd, hd**-0.5 if scale is None else scale, causal)
    return Reference(
        lambda p, x: attended(heads, x[0], x[1]),
        lambda p, x, dy: Gradients((attended_backward(heads, x[0], x[1], dy), None)),
        by_element=True,
    )
