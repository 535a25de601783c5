"""RoPE: rotary position embedding. Pairs of numbers are rotated by an angle that grows with the position.

    x, y: n × 2·h·half: rows are positions, each with h heads of 2·half numbers; n is a multiple of t

Row r is at position m = (r mod t) + offset. Pair c of a head, (a, b), is rotated by m·base^(-c/half):

    a' = a·cos - b·sin        b' = b·cos + a·sin

The pair is (x[c], x[c + half]) of the head, as in `transformers`; interleaved, it is (x[2c], x[2c + 1]), as in the
first paper. Backward: dx is dy rotated by the opposite angle. It saves nothing and has no parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.kernels.arrays import Matrix
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.rope import NARROW, Spread, rotate, rotate_spread, spread
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import HALF, PROVE, Dim, Eq, H, N, T
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec

USUAL: Final = {"base": 10000.0, "offset": 0, "interleaved": False}
MOST_POSITIONS: Final = 1 << 53  # beyond, float64 does not hold every position


def RoPE(
    n: Dim[N],
    t: Dim[T],
    h: Dim[H],
    half: Dim[HALF],
    *,
    base: float = 10000.0,
    offset: int = 0,
    interleaved: bool = False,
    proof: Eq["(N//T)*T", N] = PROVE,
) -> Layer[Unit, Mat[N, "2*H*HALF"], Mat[N, "2*H*HALF"], Unit]:
    """Rotary position embedding of `n` rows, sequences of `t` positions after one another, with `h` heads of `2*half`.

    The plugin decides whether `n` is a multiple of `t`, as `b*t` is.

    PyTorch has no such layer; this is `apply_rotary_pos_emb` of `transformers`. The angles, cosines and sines are
    computed in float64 and rounded once, when the layer is built. `offset` is the position of a sequence's first row:
    for decoding after `offset` tokens.

    Raises `ShapeError` when a size is not possible or n is no multiple of t, and `ConfigError` for another option; its
    passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L29, L31, L33 to L35, L46 to L48, L51, L60, L62, L69; L31 where a batch is split between sequences.
    """
    info = _info(n, t, h, half, {"base": base, "offset": offset, "interleaved": interleaved})
    name, width, shape = str(info), 2 * h * half, (n, 2 * h * half)
    turn, turn_back = _rotations(t, h, half, float(base), offset, interleaved)

    def fwd(p: Unit, x: Mat[N, "2*H*HALF"]) -> Fwd[Mat[N, "2*H*HALF"], Unit]:
        y = empty_mat(n, width)
        turn(guard_mat(x, shape, name, "x"), y)
        return Fwd(y, ())

    def bwd(p: Unit, s: Unit, dy: Mat[N, "2*H*HALF"], g: Unit) -> Bwd[Unit, Mat[N, "2*H*HALF"]]:
        dx = empty_mat(n, width)
        turn_back(guard_mat(dy, shape, name, "dy"), dx)
        return Bwd(dx, g)

    return make_layer(no_params(), fwd, bwd, info)


def _info(n: int, t: int, h: int, half: int, options: dict[str, Any]) -> Info:
    """What the layer says of itself, with the options that are not the usual ones; refuses what it cannot have."""
    name, sizes = f"RoPE({n}, {t}, {h}, {half})", {"n": n, "t": t, "h": h, "half": half}
    check_sizes(name, n=n, t=t, h=h, half=half)
    if n % t:
        raise ShapeError(
            f"{name}: n = {n} is no multiple of t = {t}; "
            "rows are whole sequences of t positions (t = 1 for single rows)"
        )
    check_rope_options(name, **options)
    spec = mat_spec(n, 2 * h * half)
    changed = {option: value for option, value in options.items() if value != USUAL[option]}
    return Info("RoPE", sizes, spec, spec, (), options=changed)


def check_rope_options(name: str, base: float, offset: int, interleaved: bool) -> None:
    """Refuse what is no rotation."""
    if isinstance(base, bool) or not isinstance(base, (int, float)) or not 1 <= base <= sys.float_info.max:
        raise ConfigError(f"{name}: base must be a finite number of at least 1, got {base!r}")
    if isinstance(offset, bool) or not isinstance(offset, int) or not 0 <= offset < MOST_POSITIONS:
        raise ConfigError(f"{name}: offset must be an int from 0 to 2^53 - 1, got {offset!r}")
    if not isinstance(interleaved, bool):
        raise ConfigError(f"{name}: interleaved must be True or False, got {interleaved!r}")


@lru_cache(maxsize=16)
def rope_tables(t: int, half: int, base: float, offset: int) -> tuple[Matrix, Matrix, Matrix]:
    """cos, sin and -sin of every position and pair. Kept, because a model is built anew for every number of rows."""
    positions, pairs = np.arange(offset, offset + t, dtype=np.float64), np.arange(half, dtype=np.float64)
    angles = np.outer(positions, base ** (-pairs / half))
    cos: Matrix = np.cos(angles).astype(np.float32)
    sin: Matrix = np.sin(angles).astype(np.float32)
    return cos, sin, -sin


@lru_cache(maxsize=16)
def _rotations(
    t: int, h: int, half: int, base: float, offset: int, interleaved: bool
) -> tuple[Callable[[Matrix, Matrix], None], Callable[[Matrix, Matrix], None]]:
    """Rotate every head of every row into another matrix, and back."""
    cos, sin, opposite = rope_tables(t, half, base, offset)
    if half >= NARROW:
        return _rotation(cos, sin, interleaved), _rotation(cos, opposite, interleaved)
    distance = 1 if interleaved else half
    there, back = (spread(cos, table, h, interleaved) for table in (sin, opposite))
    return _wide_rotation(there, distance), _wide_rotation(back, distance)


def _rotation(cos: Matrix, sin: Matrix, interleaved: bool) -> Callable[[Matrix, Matrix], None]:
    return lambda x, y: rotate(x, cos, sin, interleaved, y)


def _wide_rotation(tables: Spread, distance: int) -> Callable[[Matrix, Matrix], None]:
    return lambda x, y: rotate_spread(x, *tables, distance, y)
