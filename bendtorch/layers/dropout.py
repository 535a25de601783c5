"""Dropout: y = x · mask, where each factor of the mask is 0 with probability p, else 1 / (1 - p).

    x, y: n × c      parameters: the count of the steps so far

The mask is a hash of (seed, step, index) (`kernels/dropout.py`), so a run is reproducible and a resumed run draws what
the first would have drawn. Backward: dx = dy · mask, computed again from the saved count. The optimizer's step advances
the count; in evaluation (`model.eval()`) the layer is the identity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.kernels.dropout import dropout, mask_key
from bendtorch.kernels.memory import empty_mat
from bendtorch.layer import Bwd, Fwd, Info, Layer, counter, make_layer
from bendtorch.layer.counter import COUNTER_SPEC, counter_value, new_counter
from bendtorch.layer.variant import Evaluation, Mode
from bendtorch.shapes.arrays import Counter, Mat
from bendtorch.shapes.dims import C, Dim, N
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec

SEEDS: Final = 2**32
FRACTION: Final = 2**24  # the hash is a fraction of this


def Dropout(n: Dim[N], c: Dim[C], p: float, seed: int) -> Layer[Counter, Mat[N, C], Mat[N, C], Counter]:
    """Dropout with probability `p` on `n` rows of `c` numbers: PyTorch's `nn.Dropout(p)`, with a mask of its own.

    Two layers of a model need two seeds, or they drop the same places; the copies of a `Repeat` draw different masks by
    themselves. p = 0 is the identity, p = 1 gives zeros. A number that is dropped is multiplied by 0, so NaN and
    infinities stay NaN, as in PyTorch.

    Raises `ConfigError` when p is not in 0 to 1 or the seed not in 0 to 2^32 - 1, `ShapeError` when a size is not
    possible; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L29, L33 to L35, L46 to L49, L51, L65, L69.
    """
    check_sizes(f"Dropout({n}, {c})", n=n, c=c)
    _check_options(f"Dropout({n}, {c})", p, seed)
    return _Dropout(n, c, float(p), int(seed)).layer()


def _check_options(name: str, p: float, seed: int) -> None:
    if isinstance(p, bool) or not isinstance(p, (int, float, np.floating)) or not 0 <= p <= 1:
        raise ConfigError(f"{name}: p is the probability to drop a number, from 0 to 1, got {p!r}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < SEEDS:
        raise ConfigError(f"{name}: seed must be an int from 0 to 2^32 - 1, got {seed!r}")


def thinning(p: float) -> tuple[int, np.float32]:
    """The number of 24 bits below which a hash drops, and the factor of what stays."""
    p32 = np.float32(p)
    scale = np.float32(1) / (np.float32(1) - p32) if p32 < 1 else np.float32(0)
    return math.ceil(float(p32) * FRACTION), scale


@dataclass(frozen=True)
class _Dropout:
    """The layer's numbers, from which its variants are made."""

    n: int
    c: int
    p: float
    seed: int

    @property
    def info(self) -> Info:
        spec = mat_spec(self.n, self.c)
        options = {"p": self.p, "seed": self.seed}
        return Info("Dropout", {"n": self.n, "c": self.c}, spec, spec, COUNTER_SPEC, options=options)

    def layer(self) -> Layer[Counter, Mat[N, C], Mat[N, C], Counter]:
        """The layer that drops."""
        name, n, c, seed = str(self.info), self.n, self.c, self.seed
        threshold, scale = thinning(self.p)

        def masked(x: Mat[N, C], count: int, argument: str) -> Mat[N, C]:
            """x times the mask of step `count`."""
            y: Any = empty_mat(n, c)
            dropout(guard_mat(x, (n, c), name, argument), mask_key(seed, count), threshold, scale, y)
            masked: Mat[N, C] = y
            return masked

        def fwd(p: Counter, x: Mat[N, C]) -> Fwd[Mat[N, C], Counter]:
            count = counter_value(p, name)
            return Fwd(masked(x, count, "x"), new_counter(count))

        def bwd(p: Counter, s: Counter, dy: Mat[N, C], g: Counter) -> Bwd[Counter, Mat[N, C]]:
            return Bwd(masked(dy, counter_value(s, name), "dy"), g)

        return make_layer(counter(), fwd, bwd, self.info, vary=self.vary)

    def vary(self, mode: Mode) -> Layer[Counter, Mat[N, C], Mat[N, C], Counter]:
        """The identity for evaluation; another seed for a copy."""
        if isinstance(mode, Evaluation):
            return self.identity()
        return _Dropout(self.n, self.c, self.p, int(mask_key(self.seed, mode.index))).layer()

    def identity(self) -> Layer[Counter, Mat[N, C], Mat[N, C], Counter]:
        """The layer in evaluation."""
        name, shape = str(self.info), (self.n, self.c)

        def fwd(p: Counter, x: Mat[N, C]) -> Fwd[Mat[N, C], Counter]:
            return Fwd(guard_mat(x, shape, name, "x"), new_counter(counter_value(p, name)))

        def bwd(p: Counter, s: Counter, dy: Mat[N, C], g: Counter) -> Bwd[Counter, Mat[N, C]]:
            return Bwd(guard_mat(dy, shape, name, "dy"), g)

        return make_layer(counter(), fwd, bwd, self.info)
