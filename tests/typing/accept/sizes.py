"""Everything that a size may come from."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, NewType, TypeAlias, TypeVar

import numpy as np
from support import sketches
from support.sketches import HEIGHT, WIDTH, Residual
from typing_extensions import assert_type

from bendtorch import Dim, Layer, Lin, Linear, Mat, ReLU, Seq, mat
from bendtorch.shapes.dims import D, F, N

BATCH: Final = 64
HALF_BATCH: Final = BATCH // 2
Batch = NewType("Batch", int)
Q = TypeVar("Q", bound=int)
Ten: TypeAlias = Literal[10]

Parameters: TypeAlias = tuple[tuple[Lin[WIDTH, BATCH], tuple[()]], Lin[BATCH, 10]]
Matrix = Mat[BATCH, 3]


def of_aliases(p: Parameters, x: Matrix) -> None:
    assert_type(p[0][0], Lin[64, 64])
    assert_type(x, Mat[64, 3])


class Squarish(Lin[WIDTH, 65]):
    """A subclass with sizes."""


# ---- constants, here and imported; names bound once; arithmetic of them
assert_type(Linear(BATCH, WIDTH, sketches.WIDTH), Layer[Lin[64, 64], Mat[64, 64], Mat[64, 64], Mat[64, 64]])
hidden = 2 * WIDTH + 1
rows, columns = 5, 3 * hidden
assert_type(Linear(rows, columns, -(-7)).zeros(), Lin[387, 7])
assert_type(Linear(HALF_BATCH, BATCH // 5, 9 - 4).zeros(), Lin[12, 5])
ten: Ten = 10
assert_type(ReLU(3, ten), Layer[tuple[()], Mat[3, 10], Mat[3, 10], Mat[3, 10]])


class Small:
    """Constants of a class."""

    d: Final = 64
    f: Final = 4 * 64


small = Linear(BATCH, Small.d, Small.f) >> Linear(BATCH, 256, 64)

# ---- a size known only at run time is a size of its own
at_run_time = int(sys.argv[1]) if len(sys.argv) > 1 else 7
Seq(
    Linear(BATCH, 784, at_run_time),
    ReLU(BATCH, at_run_time),
    Linear(BATCH, at_run_time, 2 * at_run_time),
    Linear(BATCH, at_run_time + at_run_time, 10),
)


Linear(BATCH, 784, HEIGHT) >> ReLU(BATCH, sketches.HEIGHT) >> Linear(BATCH, HEIGHT, 10)


def in_a_class(k: int) -> object:
    class Local:
        width = k

        net = Linear(3, 4, width) >> ReLU(3, width)

    return Local


def of_plain_int(k: int) -> Layer[Any, Mat[3, 4], Mat[3, 5], Any]:
    return Linear(3, 4, k) >> ReLU(3, k) >> Linear(3, k, 5)


def of_data(x: Mat[N, D]) -> Layer[Lin[D, 10], Mat[N, D], Mat[N, 10], Mat[N, D]]:
    return Linear(x.shape[0], x.shape[1], 10)


# ---- fields
@dataclass(frozen=True)
class Config:
    """Sizes known only at run time."""

    width: int
    depth: int


def of_config(config: Config, n: Dim[N]) -> Layer[Any, Mat[N, 784], Mat[N, 10], Any]:
    return Seq(Linear(n, 784, config.width), ReLU(n, config.width), Linear(n, config.width, 10))


@dataclass(frozen=True)
class Sizes(Generic[D, F]):
    """Sizes in the type."""

    d: Dim[D]
    f: Dim[F]


sizes = Sizes(64, 256)
assert_type(sizes, Sizes[64, 256])
of_sizes = Linear(BATCH, sizes.d, sizes.f) >> Linear(BATCH, 256, sizes.d)

# ---- a NewType: a size with a name
batch = Batch(len(sys.argv))
assert_type(
    Linear(batch, 784, 128) >> Linear(batch, 128, 10),
    Layer[tuple[Lin[784, 128], Lin[128, 10]], Mat[Batch, 784], Mat[Batch, 10], tuple[Mat[Batch, 784], Mat[Batch, 128]]],
)


# ---- polynomials
def polynomials(n: Dim[N], d: Dim[D], q: Dim[Q]) -> None:
    Linear(n, 7, (q + 1) * d - d) >> ReLU(n, q * d)
    Linear(n, 7, (d + q) * (d - q)) >> ReLU(n, d * d - q * q)
    Linear(n, 7, (q * d) // q) >> ReLU(n, d)
    Linear(n, 7, (d * d - q * q) // (d - q)) >> ReLU(n, d + q)
    Linear(n, 7, (4 * d + 6) // 4) >> ReLU(n, d + 1)
    Linear(n, 7, d // q) >> ReLU(n, (2 * d) // (2 * q))
    Residual(Linear(n, d, q * 2) >> Linear(n, q + q, d))
    assert_type(mat(n, d + q, []), Mat[N, "Q + D"])
    total: Final = 3 * d
    x: Mat[N, "3*D"] = np.zeros((n, total), dtype=np.float32)
    ReLU(n, 3 * d).fwd((), x)
