"""PaddedAttention: attention of sequences of several lengths, padded to one.

    x: ((q, (k, v)), lengths), lengths: b numbers in 0 to t

Of a sequence's keys only the first `length` are seen (and if causal, only up to the query's own position); else it is
`Attention`. A query that sees no key, which is every query of an empty sequence, has an output of zeros and gives no
gradient. Queries beyond the length see the keys as others do: what is done with their output is the caller's business.

The lengths are part of the input, not of the layer, because they change from batch to batch. They have no gradient: in
their place dx holds the lengths themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bendtorch.errors import IndexRangeError
from bendtorch.kernels.labels import first_outside
from bendtorch.layer import Bwd, Fwd, Layer, Unit, make_layer, no_params
from bendtorch.layer.given import guard_pair
from bendtorch.layers.attention import AttentionCore
from bendtorch.shapes.arrays import Ids, Mat
from bendtorch.shapes.dims import HD, KV, B, Dim, G, T
from bendtorch.shapes.guard import guard_ids
from bendtorch.shapes.spec import ids_spec

if TYPE_CHECKING:
    from bendtorch.layers.attention import QKV


def PaddedAttention(
    b: Dim[B],
    t: Dim[T],
    kv: Dim[KV],
    g: Dim[G],
    hd: Dim[HD],
    *,
    scale: float | None = None,
    causal: bool = True,
) -> Layer[
    Unit,
    tuple[QKV["B*T", "KV*G*HD", "KV*HD"], Ids[B]],
    Mat["B*T", "KV*G*HD"],
    tuple[QKV["B*T", "KV*G*HD", "KV*HD"], Ids[B]],
]:
    """`Attention` of padded sequences: PyTorch's with an `attn_mask` that is True where key j < lengths[s].

    (PyTorch gives NaN for a query that sees no key where its CPU kernels do not; here it is zeros.)

    Raises `IndexRangeError` for a length outside of 0 to t, and otherwise as `Attention` does.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L53, L57 to L60, L69; with every length t it is `Attention`, bit
    for bit.
    """
    core: AttentionCore["B*T", "KV*G*HD", "KV*HD"]
    core = AttentionCore("PaddedAttention", b, t, kv, g, hd, scale, causal)

    def checked(lengths: Ids[B], argument: str) -> Ids[B]:
        lengths = guard_ids(lengths, b, core.name, argument)
        wrong = first_outside(lengths, t + 1, 0)
        if wrong >= 0:
            raise IndexRangeError(f"{core}: {argument}[{wrong}] is {lengths[wrong]}, lengths go from 0 to {t}")
        return lengths

    def fwd(
        p: Unit, x: tuple[QKV["B*T", "KV*G*HD", "KV*HD"], Ids[B]]
    ) -> Fwd[Mat["B*T", "KV*G*HD"], tuple[QKV["B*T", "KV*G*HD", "KV*HD"], Ids[B]]]:
        guard_pair(x, core, "x", "((q, (k, v)), lengths)")
        arrays, lengths = core.guarded(x[0], "x"), checked(x[1], "lengths")
        return Fwd(core.forward(arrays, lengths), (arrays, lengths))

    def bwd(
        p: Unit,
        s: tuple[QKV["B*T", "KV*G*HD", "KV*HD"], Ids[B]],
        dy: Mat["B*T", "KV*G*HD"],
        gradient: Unit,
    ) -> Bwd[Unit, tuple[QKV["B*T", "KV*G*HD", "KV*HD"], Ids[B]]]:
        guard_pair(s, core, "the saved input", "((q, (k, v)), lengths)")
        arrays, lengths = core.guarded(s[0], "the saved input"), checked(s[1], "the saved lengths")
        return Bwd((core.backward(arrays, dy, lengths), lengths), gradient)

    takes = (core.takes, ids_spec(b, below=t + 1))
    return make_layer(no_params(), fwd, bwd, core.info(takes, takes))
