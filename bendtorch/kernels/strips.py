"""Products of panels as they lie: c = a·b in strips of rows of c, whose tiles stand in registers, without packing.

A strip reads its rows of a by any two distances, so a may as well lie transposed; of b it reads rows side by side. It
pays where the factors stand in the nearest caches, as attention's do. Numbers are added in the order of k, from zero,
in runs as those of `gemm`: the bits of a result follow from its row and column, and not from where strips begin.

2·rows·columns·k FLOPs; each strip reads its rows of a and all of b, and writes its rows of c.

Where there are no tiles of our own, OpenBLAS multiplies the same strips.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import llvmlite.binding as llvm
from numba import types

from bendtorch.kernels import gemm
from bendtorch.kernels.blas import INNER, blas_in_runs
from bendtorch.kernels.blocking import NAMES, OWN
from bendtorch.kernels.cache import before_kernels, prepare_kernels
from bendtorch.kernels.compile import helper, kernel
from bendtorch.kernels.lanes import LANES
from bendtorch.kernels.machine_code import provide_function
from bendtorch.kernels.microkernel import NEAR, PARAMETERS, ROWS, WIDTH
from bendtorch.kernels.panels import Panel, part, row_of, transpose
from bendtorch.kernels.parallel import chunks_of
from bendtorch.kernels.vectors import LANES as AT_A_TIME

SIDE: Final = LANES  # b has room for a multiple of so many columns, and what is transposed for one of rows, too
STRIP: Final = "bendtorch_strip_product"
TURNED: Final = "bendtorch_turned_panel"
MOST: Final = ROWS if OWN else 32  # rows of a strip
NOTHING: Final = (NEAR, NEAR, -NEAR)  # more is brought near: what b begins with, again and again

if OWN:
    _tiles = types.ExternalFunction("bendtorch_strip", types.void(*[types.int64] * PARAMETERS))
    _turn = types.ExternalFunction("bendtorch_turn", types.void(*[types.int64] * 6))
    _known_strip = types.ExternalFunction(STRIP, types.void(*[types.int64] * 11))
    _known_turn = types.ExternalFunction(TURNED, types.void(*[types.int64] * 6))


class Rows(NamedTuple):
    """A factor by its rows: how many numbers further the next row begins, and a row's next number stands."""

    address: int
    row: int
    step: int


@helper
def rows_of(x: Panel) -> Rows:
    """A panel's rows."""
    return Rows(x.address, x.stride, 1)


@helper
def columns_of(x: Panel) -> Rows:
    """A panel's columns, as rows."""
    return Rows(x.address, 1, x.stride)


def _strip_in_tiles(
    add: int, rows: int, columns: int, k: int, a: int, row: int, step: int, b: int, b_stride: int, c: int, c_stride: int
) -> None:
    whole = columns // WIDTH * WIDTH
    for low in range(0, k, INNER):
        left, adds = a + 4 * low * step, add if low == 0 else 1
        for first, width in ((0, whole), (whole, columns - whole)):  # a last tile that is narrow reads a vector less
            right, out = b + 4 * (low * b_stride + first), c + 4 * first
            steps = 4 * row, 4 * step, right, 4 * b_stride, 4 * WIDTH
            if width > 0:
                _tiles(rows, width, min(INNER, k - low), left, *steps, out, 4 * c_stride, adds, 0, 0, right, *NOTHING)


def _strip_by_blas(
    add: int, rows: int, columns: int, k: int, a: int, row: int, step: int, b: int, b_stride: int, c: int, c_stride: int
) -> None:
    turned = row == 1 and (step > 1 or rows == 1)
    blas_in_runs(INNER, add != 0, turned, False, rows, columns, k, a, step if turned else row, b, b_stride, c, c_stride)


def _turn_in_blocks(x: int, x_stride: int, rows: int, width: int, out: int, out_stride: int) -> None:
    source, place = Panel(x, x_stride), Panel(out, out_stride)
    for i in range(0, rows, AT_A_TIME):
        for j in range(0, width, AT_A_TIME):
            block, turned = part(source, i, j).address, part(place, j, i).address
            _turn(block, 4 * x_stride, rows - i, width - j, turned, 4 * out_stride)


def _turn_by_rows(x: int, x_stride: int, rows: int, width: int, out: int, out_stride: int) -> None:
    place = Panel(out, out_stride)
    transpose(Panel(x, x_stride), rows, width, place)
    for c in range(width if rows > 0 else 0):
        line = row_of(place, c, whole(rows))
        line[rows:] = line[rows - 1]


def make_known() -> None:
    """Compile what kernels call by name, or load it: with our own tiles, if there are any in the end."""
    prepare_kernels()  # those of `gemm` come first
    own = all(llvm.address_of_symbol(name) is not None for name in (gemm.PRODUCT, *NAMES))
    strip_type, turn_type = types.void(*[types.int64] * 11), types.void(*[types.int64] * 6)
    provide_function(STRIP, _strip_in_tiles if own else _strip_by_blas, strip_type, kept=own)
    provide_function(TURNED, _turn_in_blocks if own else _turn_by_rows, turn_type, kept=own)


if OWN:
    before_kernels(make_known)


@helper
def whole(count: int) -> int:
    """`count` rounded up to a multiple of `SIDE`."""
    return (count + SIDE - 1) // SIDE * SIDE


@helper
def height_of(left: int) -> int:
    """How many rows the next strip has, of those that are left: strips are nearly equal."""
    strips = chunks_of(left, MOST)
    return (left + strips - 1) // strips


_strip: Final = _known_strip if OWN else kernel(_strip_by_blas)
_any_turn: Final = _known_turn if OWN else kernel(_turn_by_rows)


@kernel
def strip(a: Rows, b: Panel, rows: int, columns: int, k: int, c: Panel, add: int) -> None:
    """c = a·b, or with `add` (1, not 0) c += a·b; as many rows as `height_of` says, k at least 1."""
    _strip(add, rows, columns, k, a.address, a.row, a.step, b.address, b.stride, c.address, c.stride)


@kernel
def turn(x: Panel, rows: int, width: int, out: Panel) -> None:
    """out = xᵀ; `out` has room for whole multiples of `SIDE`.

    What is written there beyond the result is finite where x is.
    """
    _any_turn(x.address, x.stride, rows, width, out.address, out.stride)
