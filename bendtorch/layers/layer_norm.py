"""LayerNorm: y = (x - mean(x)) / sqrt(var(x) + eps) · w + b, each row on its own; var is the mean square distance.

    x, y: n × c      w, b: 1 × c

Backward, from dy, with k = 1 / sqrt(var(x) + eps) of the row, x̂ = (x - mean(x))·k and h = dy·w:

    dx = k·(h - mean(h) - x̂·mean(h·x̂))      dw += Σ dy·x̂ over the rows      db += Σ dy over the rows

It saves its input and three numbers a row: the mean rounded, k, and k times what the rounding dropped of the mean. Mean
and variance are taken in float64, so a large mean costs no accuracy. A row of equal numbers gives b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from bendtorch.kernels.layer_norm import layer_norm_backward, layer_norm_forward
from bendtorch.kernels.memory import empty_mat
from bendtorch.layer import Bwd, Fwd, Info, Layer, Leaf, Params, describe, make_layer, ones_init, zeros_init
from bendtorch.layer.given import GRADIENT, guard_record
from bendtorch.layers.rms_norm import checked_eps
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat, guard_target
from bendtorch.shapes.spec import check_sizes, mat_spec


@dataclass(frozen=True, slots=True)
class Affine(Generic[C]):
    """A factor and a summand for each column: `weight` and `bias` are 1 × c."""

    weight: Mat[1, C]
    bias: Mat[1, C]


def LayerNorm(
    n: Dim[N], c: Dim[C], *, eps: float = 1e-5
) -> Layer[Affine[C], Mat[N, C], Mat[N, C], tuple[Mat[N, C], Mat[N, 3]]]:
    """Layer normalisation of `n` rows of `c` numbers: PyTorch's `nn.LayerNorm(c, eps)`.

    The weight starts as ones, the bias as zeros. Raises `ConfigError` when `eps` is not a number from 0 on,
    `ShapeError` when a size is not possible; its passes raise `ShapeError` or `DtypeError` for arrays of another shape
    or type.

    Laws: L24 to L28, L31 to L35, L39, L40, L44, L46 to L49, L51, L52, L55, L69.
    """
    check_sizes(f"LayerNorm({n}, {c})", n=n, c=c)
    eps = checked_eps(f"LayerNorm({n}, {c})", eps)
    spec = mat_spec(n, c)
    info = Info("LayerNorm", {"n": n, "c": c}, spec, spec, (spec, mat_spec(n, 3)), options={"eps": eps})
    name, shape, row = str(info), (n, c), (1, c)

    def fwd(p: Affine[C], x: Mat[N, C]) -> Fwd[Mat[N, C], tuple[Mat[N, C], Mat[N, 3]]]:
        x, y, statistics = guard_mat(x, shape, name, "x"), empty_mat(n, c), empty_mat(n, 3)
        p = guard_record(p, Affine, name)
        w, b = guard_mat(p.weight, row, name, "weight"), guard_mat(p.bias, row, name, "bias")
        layer_norm_forward(x, w, b, eps, y, statistics)
        return Fwd(y, (x, statistics))

    def bwd(p: Affine[C], s: tuple[Mat[N, C], Mat[N, 3]], dy: Mat[N, C], g: Affine[C]) -> Bwd[Affine[C], Mat[N, C]]:
        p, g = guard_record(p, Affine, name), guard_record(g, Affine, name, GRADIENT)
        x = guard_mat(s[0], shape, name, "the saved input")
        statistics = guard_mat(s[1], (n, 3), name, "the saved statistics")
        w, dy = guard_mat(p.weight, row, name, "weight"), guard_mat(dy, shape, name, "dy")
        gw = guard_target(g.weight, row, name, "the gradient's weight")
        gb = guard_target(g.bias, row, name, "the gradient's bias")
        dx = empty_mat(n, c)
        layer_norm_backward(x, statistics, w, dy, dx, gw, gb)
        return Bwd(dx, g)

    return make_layer(_affine(c), fwd, bwd, info)


def _affine(c: Dim[C]) -> Params[Affine[C]]:
    return describe(
        (Leaf("weight", (1, c), ones_init, vector=True), Leaf("bias", (1, c), zeros_init, vector=True)),
        Affine,
        lambda p: (p.weight, p.bias),
    )
