"""Attention: scaled dot products of queries with keys, a softmax over the keys, the values so weighted; in heads.

    q, y: b·t × kv·g·hd      k, v: b·t × kv·hd

Rows are b sequences of t positions, columns are heads of hd numbers. Query head i reads key head i // g. For a query:

    y = Σ p_j·v_j,    p = softmax(scale · q·k_j)    over the keys j that it sees

Those are the keys of its own sequence; if causal, up to its own position. Backward, from dy, with dP_j = dy·v_j and
dS_j = scale · p_j · (dP_j - Σ p·dP):

    dq = Σ dS_j·k_j      dk_j = Σ dS_j·q      dv_j = Σ p_j·dy      (over the queries, and the g heads, that see key j)

It saves q, k and v; the backward pass computes the probabilities again, tile by tile: the memory grows with t, not with
t². Their bits are those of the forward pass, which a saved logarithm of each row's sum would not give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeAlias, cast

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.kernels.arrays import Labels
from bendtorch.kernels.attention_backward import attention_backward
from bendtorch.kernels.attention_forward import Inputs, attention_forward
from bendtorch.kernels.attention_grid import Heads
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.layer.given import guard_pair
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import HD, KV, B, C, Dim, G, N, T, W
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import Spec, check_sizes, mat_spec

if TYPE_CHECKING:
    QKV: TypeAlias = tuple[Mat[N, W], tuple[Mat[N, C], Mat[N, C]]]
    """Queries of w columns, and keys and values of c columns."""


def Attention(
    b: Dim[B],
    t: Dim[T],
    kv: Dim[KV],
    g: Dim[G],
    hd: Dim[HD],
    *,
    scale: float | None = None,
    causal: bool = True,
) -> Layer[Unit, QKV["B*T", "KV*G*HD", "KV*HD"], Mat["B*T", "KV*G*HD"], QKV["B*T", "KV*G*HD", "KV*HD"]]:
    """Attention of `b` sequences of `t` positions, with `kv` key heads of `hd` numbers, each read by `g` query heads.

    PyTorch's `F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale, enable_gqa=True)` on the heads'
    matrices; `scale` is 1/√hd where none is given. A key or value that a query does not see does not influence it in
    any bit, be it NaN. A query whose scores are all -inf has an output of zeros.

    Raises `ShapeError` when a size is not possible, `ConfigError` when scale is not a finite number above 0 or causal
    no bool; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L53, L57 to L60, L69; L57 where it is causal, L61 where it is
    not.
    """
    core: AttentionCore["B*T", "KV*G*HD", "KV*HD"]
    core = AttentionCore("Attention", b, t, kv, g, hd, scale, causal)
    lengths = np.full(b, t, np.int64)

    def fwd(p: Unit, x: QKV["B*T", "KV*G*HD", "KV*HD"]) -> Fwd[Mat["B*T", "KV*G*HD"], QKV["B*T", "KV*G*HD", "KV*HD"]]:
        x = core.guarded(x, "x")
        return Fwd(core.forward(x, lengths), x)

    def bwd(
        p: Unit, s: QKV["B*T", "KV*G*HD", "KV*HD"], dy: Mat["B*T", "KV*G*HD"], gradient: Unit
    ) -> Bwd[Unit, QKV["B*T", "KV*G*HD", "KV*HD"]]:
        return Bwd(core.backward(core.guarded(s, "the saved input"), dy, lengths), gradient)

    return make_layer(no_params(), fwd, bwd, core.info(core.takes, core.takes))


@dataclass(frozen=True)
class AttentionCore(Generic[N, W, C]):
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

    @cached_property
    def name(self) -> str:
        """The layer as it is written."""
        return str(self.info((), ()))

    @cached_property
    def scale(self) -> float:
        """The factor of the inner products."""
        return 1 / math.sqrt(self.hd) if self.given_scale is None else float(self.given_scale)

    @cached_property
    def heads(self) -> Heads:
        """The sizes as kernels take them."""
        return Heads(self.t, self.t, self.kv, self.g, self.hd, bool(self.causal), 0)

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The shapes of q, and of k and v."""
        rows, width = self.b * self.t, self.kv * self.hd
        return (rows, width * self.g), (rows, width)

    @property
    def takes(self) -> Spec:
        """The shapes of (q, (k, v))."""
        q, k = (mat_spec(*shape) for shape in self.shapes)
        return q, (k, k)

    def info(self, takes: Spec, saves: Spec) -> Info:
        """What the layer says of itself."""
        sizes = {"b": self.b, "t": self.t, "kv": self.kv, "g": self.g, "hd": self.hd}
        options: dict[str, object] = {} if self.given_scale is None else {"scale": self.given_scale}
        options["causal"] = self.causal
        return Info(self.kind, sizes, takes, mat_spec(*self.shapes[0]), saves, options=options)

    def guarded(self, x: QKV[N, W, C], argument: str) -> QKV[N, W, C]:
        """(q, (k, v)) when they are what the layer takes."""
        name, (q, k) = self.name, self.shapes
        queries, pair = guard_pair(x, name, argument, "(q, (k, v))")
        keys, values = guard_pair(pair, name, f"the second of {argument}", "(k, v)")
        return (
            guard_mat(queries, q, name, f"{argument} (queries)"),
            (guard_mat(keys, k, name, f"{argument} (keys)"), guard_mat(values, k, name, f"{argument} (values)")),
        )

    def forward(self, x: QKV[N, W, C], lengths: Labels) -> Mat[N, W]:
        """The output; keys from their sequence's length on are not seen."""
        q, (k, v) = x
        return cast("Mat[N, W]", attention_forward(Inputs(q, k, v, lengths), self.heads, self.scale))

    def backward(self, x: QKV[N, W, C], dy: Mat[N, W], lengths: Labels) -> QKV[N, W, C]:
        """The gradients of q, k and v."""
        q, (k, v) = x
        dy = guard_mat(dy, self.shapes[0], self.name, "dy")
        dq, dk, dv = attention_backward(Inputs(q, k, v, lengths), dy, self.heads, self.scale)
        return cast("QKV[N, W, C]", (dq, (dk, dv)))

    def __str__(self) -> str:
        return self.name


def _is_scale(value: object) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and math.isfinite(value) and value > 0  # type: ignore[arg-type,operator]
