"""RMSNorm: y = x / sqrt(mean(x²) + eps) · w, each row on its own.

    x, y: n × c      w: 1 × c, the gain

Backward, from dy, with k = 1 / sqrt(mean(x²) + eps) of the row and x̂ = x·k:

    dx = k·(dy·w - x̂·mean(dy·w·x̂))      dw += Σ dy·x̂ over the rows

It saves its input and k, a column. The squares are summed in float64, so large and small numbers are normalised alike.
"""

from __future__ import annotations

import math

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.rms_norm import rms_norm_backward, rms_norm_forward
from bendtorch.layer import Bwd, Fwd, Info, Layer, make_layer, matrix, ones_init
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat, guard_target
from bendtorch.shapes.spec import check_sizes, mat_spec


def RMSNorm(
    n: Dim[N], c: Dim[C], *, eps: float = 1e-5
) -> Layer[Mat[1, C], Mat[N, C], Mat[N, C], tuple[Mat[N, C], Mat[N, 1]]]:
    """Root mean square normalisation of `n` rows of `c` numbers with a gain: PyTorch's `nn.RMSNorm(c, eps)`.

    The gain starts as ones. Raises `ConfigError` when `eps` is not a number from 0 on, `ShapeError` when a size is not
    possible; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L28, L31 to L35, L39, L40, L44, L46 to L49, L51, L52, L56, L69.
    """
    check_sizes(f"RMSNorm({n}, {c})", n=n, c=c)
    eps = checked_eps(f"RMSNorm({n}, {c})", eps)
    spec = mat_spec(n, c)
    info = Info("RMSNorm", {"n": n, "c": c}, spec, spec, (spec, mat_spec(n, 1)), options={"eps": eps})
    name, shape = str(info), (n, c)

    def fwd(p: Mat[1, C], x: Mat[N, C]) -> Fwd[Mat[N, C], tuple[Mat[N, C], Mat[N, 1]]]:
        x, y, roots = guard_mat(x, shape, name, "x"), empty_mat(n, c), empty_mat(n, 1)
        rms_norm_forward(x, guard_mat(p, (1, c), name, "weight"), eps, y, roots)
        return Fwd(y, (x, roots))

    def bwd(p: Mat[1, C], s: tuple[Mat[N, C], Mat[N, 1]], dy: Mat[N, C], g: Mat[1, C]) -> Bwd[Mat[1, C], Mat[N, C]]:
        x, roots = guard_mat(s[0], shape, name, "the saved input"), guard_mat(s[1], (n, 1), name, "the saved roots")
        w, dy = guard_mat(p, (1, c), name, "weight"), guard_mat(dy, shape, name, "dy")
        target, dx = guard_target(g, (1, c), name, "the gradient"), empty_mat(n, c)
        rms_norm_backward(x, roots, w, dy, dx, target)
        return Bwd(dx, g)

    return make_layer(matrix(1, c, "weight", ones_init, vector=True), fwd, bwd, info)


def checked_eps(name: str, eps: float) -> float:
    """`eps` as a float; refuses what cannot be added to a mean of squares."""
    if isinstance(eps, bool) or not isinstance(eps, (int, float, np.floating)) or not 0 <= eps < math.inf:
        raise ConfigError(f"{name}: eps is added to a mean of squares, so it must be a number from 0 on, got {eps!r}")
    return float(eps)
