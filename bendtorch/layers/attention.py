"""Attention: scaled dot products of queries with keys, a softmax over the keys, the values so weighted; in heads.

    q, y: b·t × kv·g·hd      k, v: b·t × kv·hd

Rows are b sequences of t positions, columns are heads of hd numbers. Query head i reads key head i // g. For a query:

    y = Σ p_j·v_j,    p = softmax(scale · q·k_j)    over the keys j that it sees

Those are the keys of its own sequence; if causal, up to its own position. Backward, from dy, with dP_j = dy·v_j and
dS_j = scale · p_j · (dP_j - Σ p·dP):

    dq = Σ dS_j·k_j      dk_j = Σ dS_j·q      dv_j = Σ p_j·dy      (over the queries, and the g heads, that see key j)

It saves q, k and v, and two numbers for each row and head, from which the backward pass computes the probabilities
again tile by tile: the memory grows with t, not with t².
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, cast

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.kernels.arrays import Labels
from bendtorch.kernels.attention_backward import attention_backward
from bendtorch.kernels.attention_forward import Inputs, Saved, attention_forward
from bendtorch.kernels.attention_grid import Heads
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import HD, KV, B, C, Dim, G, H, N, T, W
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import Spec, check_sizes, mat_spec

if TYPE_CHECKING:
    QKV: TypeAlias = tuple[Mat[N, W], tuple[Mat[N, C], Mat[N, C]]]
    """Queries of w columns, and keys and values of c columns."""

    AttentionSaved: TypeAlias = tuple[QKV[N, W, C], tuple[Mat[N, H], Mat[N, H]]]
    """The inputs, and for every row and head the largest score and the inverse of the total."""


def Attention(
    b: Dim[B],
    t: Dim[T],
    kv: Dim[KV],
    g: Dim[G],
    hd: Dim[HD],
    *,
    scale: float | None = None,
    causal: bool = True,
) -> Layer[
    Unit, QKV["B*T", "KV*G*HD", "KV*HD"], Mat["B*T", "KV*G*HD"], AttentionSaved["B*T", "KV*G*HD", "KV*HD", "KV*G"]
]:
    """Attention of `b` sequences of `t` positions, with `kv` key heads of `hd` numbers, each read by `g` query heads.

    PyTorch's `F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale, enable_gqa=True)` on the heads'
    matrices; `scale` is 1/√hd where none is given. A key or value that a query does not see does not influence it in
    any bit, be it NaN. A query whose scores are all -inf has an output of zeros.

    Raises `ShapeError` when a size is not possible, `ConfigError` when scale is not a finite number above 0 or causal
    no bool; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L28, L31 to L36, L57 to L61, L69.
    """
    core: AttentionCore["B*T", "KV*G*HD", "KV*HD", "KV*G"]
    core = AttentionCore("Attention", b, t, kv, g, hd, scale, causal)
    lengths = np.full(b, t, np.int64)

    def fwd(
        p: Unit, x: QKV["B*T", "KV*G*HD", "KV*HD"]
    ) -> Fwd[Mat["B*T", "KV*G*HD"], AttentionSaved["B*T", "KV*G*HD", "KV*HD", "KV*G"]]:
        return core.forward(x, lengths)

    def bwd(
        p: Unit, s: AttentionSaved["B*T", "KV*G*HD", "KV*HD", "KV*G"], dy: Mat["B*T", "KV*G*HD"], gradient: Unit
    ) -> Bwd[Unit, QKV["B*T", "KV*G*HD", "KV*HD"]]:
        return Bwd(core.backward(s, dy, lengths), gradient)

    return make_layer(no_params(), fwd, bwd, core.info(core.takes, core.saves))


@dataclass(frozen=True)
class AttentionCore(Generic[N, W, C, H]):
    """What the attention layers share: sizes and options, checked when it is made, and the passes on guarded arrays."""

    kind: str
    b: int
    t: int
    kv: int
    g: int
    hd: int
    given_scale: float | None
    causal: bool

    def __post_init__(self) -> None:
        name = f"{self.kind}({self.b}, {self.t}, {self.kv}, {self.g}, {self.hd})"
        check_sizes(name, rows=("b",), b=self.b, t=self.t, kv=self.kv, g=self.g, hd=self.hd)
        if self.given_scale is not None and not _is_scale(self.given_scale):
            raise ConfigError(
                f"{name}: scale must be a finite number above 0 (None for 1/√hd), got {self.given_scale!r};"
                " for a negative one, negate the queries"
            )
        if not isinstance(self.causal, (bool, np.bool_)):
            raise ConfigError(f"{name}: causal must be True or False, got {self.causal!r}")

    @property
    def scale(self) -> float:
        """The factor of the inner products."""
        return 1 / math.sqrt(self.hd) if self.given_scale is None else float(self.given_scale)

    @property
    def heads(self) -> Heads:
        """The sizes as kernels take them."""
        return Heads(self.t, self.t, self.kv, self.g, self.hd, bool(self.causal), 0)

    @property
    def shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """The shapes of q, of k and v, and of what is kept for each row and head."""
        rows, heads = self.b * self.t, self.kv * self.g
        return (rows, heads * self.hd), (rows, self.kv * self.hd), (rows, heads)

    @property
    def takes(self) -> Spec:
        """The shapes of (q, (k, v))."""
        q, k, _ = (mat_spec(*shape) for shape in self.shapes)
        return q, (k, k)

    @property
    def saves(self) -> Spec:
        """The shapes of what `forward` saves."""
        kept = mat_spec(*self.shapes[2])
        return self.takes, (kept, kept)

    def info(self, takes: Spec, saves: Spec) -> Info:
        """What the layer says of itself; options that have their default are not shown."""
        sizes = {"b": self.b, "t": self.t, "kv": self.kv, "g": self.g, "hd": self.hd}
        options: dict[str, object] = {} if self.given_scale is None else {"scale": self.given_scale}
        options |= {} if self.causal else {"causal": False}
        return Info(self.kind, sizes, takes, mat_spec(*self.shapes[0]), saves, options=options)

    def guarded(self, x: QKV[N, W, C], argument: str) -> QKV[N, W, C]:
        """(q, (k, v)) when they are what the layer takes."""
        name, (q, k, _) = str(self), self.shapes
        return (
            guard_mat(x[0], q, name, f"the queries of {argument}"),
            (
                guard_mat(x[1][0], k, name, f"the keys of {argument}"),
                guard_mat(x[1][1], k, name, f"the values of {argument}"),
            ),
        )

    def forward(self, x: QKV[N, W, C], lengths: Labels) -> Fwd[Mat[N, W], AttentionSaved[N, W, C, H]]:
        """The forward pass; keys from their sequence's length on are not seen."""
        q, (k, v) = self.guarded(x, "x")
        y, saved = attention_forward(Inputs(q, k, v, lengths), self.heads, self.scale)
        return Fwd(cast("Mat[N, W]", y), ((q, (k, v)), cast("tuple[Mat[N, H], Mat[N, H]]", tuple(saved))))

    def backward(self, s: AttentionSaved[N, W, C, H], dy: Mat[N, W], lengths: Labels) -> QKV[N, W, C]:
        """The gradients of q, k and v."""
        name, (shape, _, kept) = str(self), self.shapes
        q, (k, v) = self.guarded(s[0], "the saved input")
        saved = Saved(*(guard_mat(part, kept, name, "the saved scores") for part in s[1]))
        dy = guard_mat(dy, shape, name, "dy")
        gradients = attention_backward(Inputs(q, k, v, lengths), saved, dy, self.heads, self.scale)
        dq, dk, dv = gradients
        return cast("QKV[N, W, C]", (dq, (dk, dv)))

    def __str__(self) -> str:
        return str(self.info((), ()))


def _is_scale(value: object) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and math.isfinite(value) and value > 0  # type: ignore[arg-type,operator]
