"""AvgPool2d: the mean of each window of k × k cells, channel by channel.

    y[c, r, s] = 1/k² Σ x[c, r·stride + i - padding, s·stride + j - padding]

    x: n × c·h·w      y: n × c·rows·columns
    rows = (h + 2·padding - k) // stride + 1      columns = (w + 2·padding - k) // stride + 1

A row is one image, channels first. Cells outside of the image are zeros, and count: every window has k² cells.
Backward: dy/k² goes to each cell of the window. It saves nothing.
"""

from __future__ import annotations

from typing import cast

from bendtorch.kernels.avg_pool2d import avg_pool2d_forward, avg_pool2d_gradient
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.windows import Window
from bendtorch.layer import Bwd, Fwd, Info, Layer, Unit, make_layer, no_params
from bendtorch.layers.windows import pool_window, window_info
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import PAD, STEP, A, B, C, Dim, H, K, N, W
from bendtorch.shapes.guard import guard_mat


def AvgPool2d(
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
    Unit,
]:
    """The means of k × k windows of `n` images of c × h × w: PyTorch's `nn.AvgPool2d(k, stride, padding)`.

    The windows lie side by side unless a `stride` is given; padding counts, as by PyTorch's `count_include_pad`.

    Raises `ShapeError` when a size is not possible or the window does not fit, `ConfigError` for a padding of more than
    half a window; its passes raise `ShapeError` or `DtypeError` for arrays of another shape or type.

    Laws: L24 to L29, L31, L33 to L35, L46 to L48, L51, L52, L68, L69.
    """
    step = cast("STEP", k if stride is None else stride)
    sizes: dict[str, int] = {"n": n, "c": c, "h": h, "w": w, "k": k}
    window = pool_window("AvgPool2d", sizes, step, padding)
    rows, columns = (h + 2 * padding - k) // step + 1, (w + 2 * padding - k) // step + 1
    return _avg_pool2d(n, c * h * w, c * rows * columns, window, window_info("AvgPool2d", sizes, c, window, saves=()))


def _avg_pool2d(n: Dim[N], a: Dim[A], b: Dim[B], window: Window, info: Info) -> Layer[Unit, Mat[N, A], Mat[N, B], Unit]:
    """The layer on rows of `a` numbers that gives rows of `b`."""
    name = str(info)

    def fwd(p: Unit, x: Mat[N, A]) -> Fwd[Mat[N, B], Unit]:
        y = empty_mat(n, b)
        avg_pool2d_forward(guard_mat(x, (n, a), name, "x"), y, window)
        return Fwd(y, ())

    def bwd(p: Unit, s: Unit, dy: Mat[N, B], g: Unit) -> Bwd[Unit, Mat[N, A]]:
        dx = empty_mat(n, a)
        avg_pool2d_gradient(guard_mat(dy, (n, b), name, "dy"), dx, window)
        return Bwd(dx, g)

    return make_layer(no_params(), fwd, bwd, info)
