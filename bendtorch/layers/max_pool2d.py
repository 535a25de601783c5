"""MaxPool2d: the largest number of each window of k × k cells, channel by channel.

    y[c, r, s] = max over i, j of x[c, r·stride + i - padding, s·stride + j - padding]

    x: n × c·h·w      y: n × c·rows·columns
    rows = (h + 2·padding - k) // stride + 1      columns = (w + 2·padding - k) // stride + 1

A row is one image, channels first. Cells outside of the image do not count; a window with NaN gives NaN. Backward: dy
goes to the cell of the window that is largest, the first of equals (row by row), the last NaN. It saves where that cell
is in its channel, one number for each of y.
"""

from __future__ import annotations

from typing import Final, cast

import numpy as np

from bendtorch.errors import IndexRangeError, ShapeError
from bendtorch.kernels.max_pool2d import max_pool2d_forward, max_pool2d_gradient
from bendtorch.kernels.memory import empty_mat, empty_places
from bendtorch.kernels.windows import Window
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.layers.windows import pool_window, window_info
from bendtorch.shapes.arrays import Mat, Places
from bendtorch.shapes.dims import PAD, STEP, A, B, C, Dim, H, K, N, W
from bendtorch.shapes.guard import guard_mat, guard_places
from bendtorch.shapes.spec import places_spec

MOST_CELLS: Final = 2**31 - 1  # of a channel, whose places are int32


def MaxPool2d(
    n: Dim[N],
    c: Dim[C],
    h: Dim[H],
    w: Dim[W],
    k: Dim[K],
    *,
    stride: Dim[STEP] | None = None,
    padding: Dim[PAD] = 0,
) -> Layer[
    Unit,
    Mat[N, "C*H*W"],
    Mat[N, "C*((H + 2*PAD - K)//STEP + 1)*((W + 2*PAD - K)//STEP + 1)"],
    Places[N, "C*((H + 2*PAD - K)//STEP + 1)*((W + 2*PAD - K)//STEP + 1)"],
]:
    """The largest numbers of k × k windows of `n` images of c × h × w: PyTorch's `nn.MaxPool2d(k, stride, padding)`.

    The windows lie side by side unless a `stride` is given.

    Raises `ShapeError` when a size is not possible or the window does not fit, `ConfigError` for a padding of more than
    half a window; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type, and the backward
    pass `IndexRangeError` for a saved place outside of its channel.

    Laws: L24 to L28, L31, L33 to L35, L46 to L48, L51, L52, L68, L69.
    """
    step = cast("STEP", k if stride is None else stride)
    sizes: dict[str, int] = {"n": n, "c": c, "h": h, "w": w, "k": k}
    window = pool_window("MaxPool2d", sizes, step, padding)
    if h * w > MOST_CELLS:
        name = f"MaxPool2d({', '.join(map(str, sizes.values()))})"
        raise ShapeError(f"{name}: places are kept in 32 bits, so a channel has at most 2^31 - 1 cells, got {h * w}")
    rows, columns = (h + 2 * padding - k) // step + 1, (w + 2 * padding - k) // step + 1
    saves = places_spec(n, c * rows * columns, below=h * w)
    return _max_pool2d(n, c * h * w, c * rows * columns, window, window_info("MaxPool2d", sizes, c, window, saves))


def _max_pool2d(
    n: Dim[N], a: Dim[A], b: Dim[B], window: Window, info: Info
) -> Layer[Unit, Mat[N, A], Mat[N, B], Places[N, B]]:
    """The layer on rows of `a` numbers that gives rows of `b`."""
    name, cells = str(info), window.height * window.width

    def fwd(p: Unit, x: Mat[N, A]) -> Fwd[Mat[N, B], Places[N, B]]:
        y, places = empty_mat(n, b), empty_places(n, b)
        max_pool2d_forward(guard_mat(x, (n, a), name, "x"), y, places, window)
        return Fwd(y, places)

    def bwd(p: Unit, s: Places[N, B], dy: Mat[N, B], g: Unit) -> Bwd[Unit, Mat[N, A]]:
        dx = empty_mat(n, a)
        places = guard_places(s, (n, b), name, "the saved places")
        if not max_pool2d_gradient(places, guard_mat(dy, (n, b), name, "dy"), dx, window):
            wrong = _first_outside(places, cells)
            raise IndexRangeError(f"{name}: the saved places{wrong}, places go from 0 to {cells - 1}")
        return Bwd(dx, g)

    return make_layer(no_params(), fwd, bwd, info)


def _first_outside(places: Places[N, B], cells: int) -> str:
    """The first place that is not in its channel, as in `[0, 3] is -1`."""
    row, column = np.argwhere((places < 0) | (places >= cells))[0]
    return f"[{row}, {column}] is {places[row, column]}"
