"""Convolutions and pools: their output sizes are worked out of heights, windows, strides and padding."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypeVar, assert_type

from bendtorch import AvgPool2d, Conv, Conv2d, Dim, Id, Layer, Linear, Mat, MaxPool2d, ReLU, Unit
from bendtorch.shapes.arrays import Places
from bendtorch.shapes.dims import PAD, STRIDE, C, H, K, N, W


def cnn(n: Dim[N]) -> Layer[Any, Mat[N, 784], Mat[N, 10], Any]:
    return (
        Conv2d(n, 1, 28, 28, 8, 3, 3, padding=1)
        >> ReLU(n, 8 * 28 * 28)
        >> MaxPool2d(n, 8, 28, 28, 2)
        >> Conv2d(n, 8, 14, 14, 16, 5, 5)
        >> ReLU(n, 16 * 10 * 10)
        >> AvgPool2d(n, 16, 10, 10, 3, stride=2, padding=1)
        >> Linear(n, 16 * 5 * 5, 10)
    )


# ---- defaults of sizes that are left out
assert_type(Conv2d(32, 1, 28, 28, 8, 3, 3), Layer[Conv[8, 1, 3, 3], Mat[32, 784], Mat[32, 5408], Mat[32, 784]])
assert_type(Conv2d(32, 3, 28, 30, 8, 3, 5), Layer[Conv[8, 3, 3, 5], Mat[32, 2520], Mat[32, 5408], Mat[32, 2520]])
assert_type(Conv2d(2, 1, 9, 9, 4, 3, 3, padding=1).zeros().weight, Mat[4, 9])
assert_type(Conv2d(2, 1, 9, 9, 4, 3, 3, stride=2), Layer[Conv[4, 1, 3, 3], Mat[2, 81], Mat[2, 64], Mat[2, 81]])
assert_type(Conv2d(2, 1, 8, 8, 4, 3, 3, stride=2, padding=1), Layer[Conv[4, 1, 3, 3], Mat[2, 64], Mat[2, 64], Mat[2, 64]])
assert_type(MaxPool2d(2, 3, 7, 9, 2), Layer[Unit, Mat[2, 189], Mat[2, 36], Places[2, 36]])
assert_type(MaxPool2d(2, 3, 7, 9, 2, stride=None), Layer[Unit, Mat[2, 189], Mat[2, 36], Places[2, 36]])
assert_type(MaxPool2d(2, 3, 7, 9, 3, stride=1, padding=1), Layer[Unit, Mat[2, 189], Mat[2, 189], Places[2, 189]])
assert_type(AvgPool2d(2, 3, 7, 9, k=2, padding=1), Layer[Unit, Mat[2, 189], Mat[2, 60], Unit])


# ---- sizes that are parameters
def same(n: Dim[N], c: Dim[C], h: Dim[H], w: Dim[W]) -> Layer[Any, Mat[N, "C*H*W"], Mat[N, "8*(H//2)*(W//2)"], Any]:
    return Conv2d(n, c, h, w, 8, 3, 3, padding=1) >> ReLU(n, 8 * h * w) >> MaxPool2d(n, 8, h, w, 2)


def of_windows(n: Dim[N], h: Dim[H], k: Dim[K]) -> Layer[Any, Mat[N, "H*H"], Mat[N, "(H - K + 1)*(H - K + 1)"], Any]:
    return Conv2d(n, 1, h, h, 1, k, k) >> Id(n, (h - k + 1) * (h - k + 1))


def whole(n: Dim[N], c: Dim[C], h: Dim[H]) -> Layer[Unit, Mat[N, "C*H*H"], Mat[N, C], Unit]:
    return AvgPool2d(n, c, h, h, h)


# ---- the same in a function of one's own
TIMES = TypeVar("TIMES", bound=int, default=Literal[2])
SIDE = TypeVar("SIDE", bound=int, default=H)


def images(h: Dim[H], *, times: Dim[TIMES] = 2, side: Dim[SIDE] | None = None) -> Mat["H*TIMES", SIDE]:
    raise NotImplementedError


assert_type(images(5), Mat[10, 5])
assert_type(images(5, times=3), Mat[15, 5])
assert_type(images(5, side=7), Mat[10, 7])
assert_type(images(5, side=None, times=4), Mat[20, 5])


def strided(n: Dim[N], *, stride: Dim[STRIDE] = 1, padding: Dim[PAD] = 0) -> None:
    Conv2d(n, 1, 8, 8, 2, 3, 3, stride=stride, padding=padding)


strided(3)
