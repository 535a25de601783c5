"""Models as programs on Vars, whose parameters are the matrices of the layers' models in the order of `dump`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bendtorch import grad


def linear(x: grad.Var, weight: grad.Var, bias: grad.Var | None = None) -> grad.Var:
    """x·wᵀ + b."""
    y = x @ grad.transpose(weight)
    return y if bias is None else y + bias


def llama(ids: Any, leaves: Sequence[grad.Var], kv: int, group: int, half: int, depth: int) -> grad.Var:
    """The logits of `models.Llama` for b × t ids; of `LlamaUntied` where there is one leaf more."""
    table, *rest = leaves
    following = iter(rest)

    def norm(x: grad.Var) -> grad.Var:
        gain = next(following)
        return grad.rms_norm(x, grad.reshape(gain, gain.shape[1:]))

    def attended(h: grad.Var) -> grad.Var:
        q, k, v = (linear(h, next(following)) for _ in range(3))
        y = grad.attention(grad.rope(q, 2 * half), grad.rope(k, 2 * half), v, causal=True, heads=kv, group=group)
        return linear(y, next(following))

    def fed(h: grad.Var) -> grad.Var:
        gate = grad.silu(linear(h, next(following)))
        return linear(gate * linear(h, next(following)), next(following))

    x = grad.embedding(table, ids)
    for _ in range(depth):
        x = x + attended(norm(x))
        x = x + fed(norm(x))
    y = linear(norm(x), next(following, table))
    return grad.reshape(y, (ids.size, y.shape[-1]))
