"""Attention and PaddedAttention beside `F.scaled_dot_product_attention`, heads, gradients and all.

Each number is measured against the size of the terms it was summed from: for y those of Σ p·v; for the gradients those
of the products, dP - Σ p·dP among them, whose difference may be far smaller than they are.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from bendtorch import Attention, PaddedAttention
from reference.compare import Case, Draw, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, normal, planted, positive, scaled
from reference.pytorch import evaluate


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes and options of a case."""

    b: int
    t: int
    kv: int
    g: int
    hd: int
    causal: bool = True
    scale: float | None = None

    @property
    def factor(self) -> float:
        """The factor of the scores."""
        return self.hd**-0.5 if self.scale is None else self.scale

    def __str__(self) -> str:
        return f"{self.b}×{self.t}, {self.kv}·{self.g} heads of {self.hd}{'' if self.causal else ', all keys'}"


@dataclass(frozen=True, slots=True)
class Fills:
    """How queries, keys, values and the gradient of the output are made."""

    q: Fill = normal
    k: Fill = normal
    v: Fill = normal
    dy: Fill = normal


def repeated(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """One row over and over: all scores of a query are equal."""
    return np.repeat(normal(rng, (min(shape[0], 1), *shape[1:])), shape[0], axis=0)


def one_stands_out(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Small keys, and one of a hundred that takes nearly all the weight of the queries that agree with it."""
    keys = normal(rng, shape) * np.float32(0.1)
    keys[rng.random(shape[0]) < 0.01] *= np.float32(200)
    return keys


def around(by: float) -> Fill:
    """Numbers around one that is not zero."""
    return lambda rng, shape: normal(rng, shape) + np.float32(by)


SIZES: Final = (
    Sizes(0, 3, 1, 1, 2),
    Sizes(1, 1, 1, 1, 1),
    Sizes(2, 5, 2, 3, 7),
    Sizes(3, 33, 1, 4, 16),
    Sizes(2, 65, 3, 1, 1, causal=False),
    Sizes(2, 128, 3, 3, 64),
    Sizes(1, 100, 2, 2, 80, causal=False),
    Sizes(1, 513, 1, 2, 64),
    Sizes(1, 3000, 1, 1, 32),
)
SMALL: Final = Sizes(2, 70, 2, 2, 32)

# With scores of size s, a probability may be off by s roundings, whatever the method.
KINDS: Final[tuple[tuple[str, Sizes, Fills, float], ...]] = (
    ("large scores", SMALL, Fills(q=scaled(8), k=scaled(8)), 3e3),
    ("huge scores", SMALL, Fills(q=scaled(100), k=scaled(100)), 1e6),
    ("equal scores", SMALL, Fills(k=repeated), 200),
    ("zero scores", SMALL, Fills(q=scaled(0)), 100),
    ("one key stands out", SMALL, Fills(k=one_stands_out), 2e3),
    ("positive", SMALL, Fills(positive, positive, positive, positive), 200),
    ("values around 100", SMALL, Fills(v=around(100)), 200),
    ("keys around 10", SMALL, Fills(k=around(10)), 2e3),
    ("small", SMALL, Fills(scaled(1e-10), scaled(1e-10), scaled(1e-10), scaled(1e-10)), 200),
    ("large values", SMALL, Fills(v=scaled(1e15), dy=scaled(1e15)), 200),
    ("a small scale", Sizes(2, 70, 2, 2, 32, scale=1e-3), Fills(), 200),
    ("a large scale", Sizes(2, 70, 2, 2, 32, scale=3.7), Fills(), 3e3),
)

# Without a mask NaN reaches the same places on both sides; what must not see it is the business of tests and laws.
# An infinity in dy gives infinities of both signs, whose sum is NaN or not by the formula of a row's mean.
EVERYTHING: Final = Sizes(2, 9, 2, 2, 5, causal=False)
EDGES: Final = (
    ("NaN in the queries", EVERYTHING, Fills(q=planted(normal, np.nan)), 200),
    ("NaN in the keys", EVERYTHING, Fills(k=planted(normal, np.nan)), 200),
    ("NaN in the values", EVERYTHING, Fills(v=planted(normal, np.nan)), 200),
    ("infinity in the values", EVERYTHING, Fills(v=planted(normal, np.inf)), 200),
    ("NaN in dy", EVERYTHING, Fills(dy=planted(normal, np.nan)), 200),
)


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on Attention and PaddedAttention."""
    cases = [_case(f"normal, {sizes}", sizes, Fills(), 200) for sizes in (SIZES[:-1] if quick else SIZES)]
    cases += [_case(name, sizes, fills, tolerance) for name, sizes, fills, tolerance in (*KINDS, *EDGES)]
    cases += [_case(f"padded, {sizes}", sizes, Fills(), 200, padded=True) for sizes in SIZES[2:-1]]
    return judge_all(cases)


def _case(name: str, sizes: Sizes, fills: Fills, tolerance: float, padded: bool = False) -> Case:
    """One case; if padded, with lengths from 1 to t."""

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        n, width, narrow = sizes.b * sizes.t, sizes.kv * sizes.g * sizes.hd, sizes.kv * sizes.hd
        inputs = {"x": fills.q(rng, (n, width)), "k": fills.k(rng, (n, narrow)), "v": fills.v(rng, (n, narrow))}
        dy, lengths = fills.dy(rng, (n, width)), np.full(sizes.b, sizes.t)
        if padded:
            lengths = rng.integers(1, sizes.t + 1, sizes.b)
        function = partial(_theirs, sizes, _mask(sizes, lengths) if padded else None)
        return Draw(
            ours=_ours(sizes, inputs, lengths if padded else None, dy),
            theirs=evaluate(function, inputs, dy, torch.float32),
            exact=evaluate(function, inputs, dy, torch.float64),
            scale=_term_sizes(sizes, inputs, _mask(sizes, lengths), dy),
        )

    work = sizes.b * sizes.t**2 * sizes.kv * sizes.g * sizes.hd
    return Case(name, draw, tolerance, most=200 if work < 1 << 20 else 30 if work < 1 << 26 else 4)


def _ours(sizes: Sizes, inputs: Mapping[str, Array], lengths: Array | None, dy: Array) -> dict[str, Array]:
    """Our output and gradients, under the names that PyTorch's have."""
    b, t, kv, g, hd = sizes.b, sizes.t, sizes.kv, sizes.g, sizes.hd
    x: Any = (inputs["x"], (inputs["k"], inputs["v"]))
    make: Any = Attention if lengths is None else PaddedAttention
    layer = make(b, t, kv, g, hd, scale=sizes.scale, causal=sizes.causal)
    forward = layer.fwd((), x if lengths is None else (x, lengths))
    dx = layer.bwd((), forward.s, dy, ()).dx
    dq, (dk, dv) = dx if lengths is None else dx[0]
    return {"y": forward.y, "dx": dq, "dk": dk, "dv": dv}


def _mask(sizes: Sizes, lengths: Array) -> Array:
    """b × 1 × t × t: which query sees which key."""
    seen = np.arange(sizes.t) < lengths[:, None, None, None]
    order = np.tri(sizes.t, dtype=np.bool_) if sizes.causal else np.ones((sizes.t, sizes.t), np.bool_)
    return np.asarray(seen & order)


def _theirs(sizes: Sizes, mask: Array | None, x: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """PyTorch's function between matrices of heads."""

    def heads(matrix: torch.Tensor, count: int) -> torch.Tensor:
        return matrix.reshape(sizes.b, sizes.t, count, sizes.hd).transpose(1, 2)

    y = scaled_dot_product_attention(
        heads(x, sizes.kv * sizes.g),
        heads(k, sizes.kv),
        heads(v, sizes.kv),
        attn_mask=None if mask is None else torch.from_numpy(mask),
        is_causal=sizes.causal and mask is None,
        scale=sizes.factor,
        enable_gqa=True,
    )
    return y.transpose(1, 2).reshape(x.shape)


def _term_sizes(sizes: Sizes, inputs: Mapping[str, Array], mask: Array, dy: Array) -> dict[str, Array]:
    """The roots of the sums of the squares of the terms of each result, with the exact probabilities."""
    narrow, scale = (sizes.b, sizes.t, sizes.kv, sizes.hd), sizes.factor
    wide = (*narrow[:3], sizes.g, sizes.hd)
    q, d = (a.astype(np.float64).reshape(wide) for a in (inputs["x"], dy))
    k, v = (inputs[name].astype(np.float64).reshape(narrow) for name in ("k", "v"))
    with np.errstate(all="ignore"):
        scores = np.where(mask[:, :, None], np.einsum("bikgd,bjkd->bkgij", q, k) * scale, -np.inf)
        p = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
        p /= p.sum(-1, keepdims=True)
        dp = np.einsum("bikgd,bjkd->bkgij", d**2, v**2)
        ds = (scale * p) ** 2 * (dp + (p**2 * dp).sum(-1, keepdims=True))
        squares = {
            "y": np.einsum("bkgij,bjkd->bikgd", p**2, v**2),
            "dx": np.einsum("bkgij,bjkd->bikgd", ds, k**2),
            "dk": np.einsum("bkgij,bikgd->bjkd", ds, q**2),
            "dv": np.einsum("bkgij,bikgd->bjkd", p**2, d**2),
        }
    return {
        name: np.sqrt(total).reshape(sizes.b * sizes.t, math.prod(total.shape[2:])) for name, total in squares.items()
    }
