"""Convolutions and pools that do not meet their neighbours."""

from __future__ import annotations

from typing import Any

from bendtorch import AvgPool2d, Conv2d, Dim, Layer, Linear, Mat, MaxPool2d, ReLU, Seq
from bendtorch.shapes.dims import PAD, STRIDE, H, N


def cnn(n: Dim[N]) -> None:
    small = Conv2d(n, 1, 28, 28, 8, 3, 3, padding=1) >> ReLU(n, 8 * 28 * 28) >> MaxPool2d(n, 8, 28, 28, 2)
    small >> Linear(n, 8 * 13 * 13, 10)  # E: >>: small gives Mat[N, 1568], Linear takes Mat[N, 1352]  [bend-shape]
    MaxPool2d(n, 8, 28, 28, 2) >> Linear(n, 8 * 13 * 13, 10)  # E: >>: MaxPool2d gives Mat[N, 1568] (c*((h + 2*padding - k)//stride + 1)*((2*padding + w - k)//stride + 1) = 8*14*14), Linear takes Mat[N, 1352]  [bend-shape]
    Conv2d(n, 1, 28, 28, 8, 5, 5) >> ReLU(n, 8 * 28 * 28)  # E: >>: Conv2d gives Mat[N, 4608] (((h + 2*padding - kh)//stride + 1)*((2*padding + w - kw)//stride + 1)*o = 24*24*8), ReLU takes Mat[N, 6272]  [bend-shape]
    ReLU(n, 784) >> Conv2d(n, 3, 28, 28, 8, 3, 3)  # E: >>: ReLU gives Mat[N, 784], Conv2d takes Mat[N, 2352] (c*h*w = 3*28*28)  [bend-shape]
    Conv2d(n, 1, 28, 28, 8, 3, 3, stride=2) >> Conv2d(n, 8, 14, 14, 8, 3, 3)  # E: >>: the left Conv2d gives Mat[N, 1352] (((h + 2*padding - kh)//stride + 1)*((2*padding + w - kw)//stride + 1)*o = 13*13*8), the right Conv2d takes Mat[N, 1568] (c*h*w = 8*14*14)  [bend-shape]


def of_sizes(n: Dim[N], h: Dim[H]) -> Layer[Any, Mat[N, "H*H"], Mat[N, "(H//2)*(H//2)"], Any]:
    return AvgPool2d(n, 1, h, h, 3)  # E: the returned value gives Mat[N, (H//3)*(H//3)], declared Mat[N, (H//2)*(H//2)]  [return-value]


def at_run_time(sizes: list[int]) -> None:
    stride = 1
    for stride in sizes:
        pass
    Conv2d(3, 1, 9, 9, 2, 3, 3, stride=stride)  # E: Conv2d: dimension "stride" is not static: "stride" is bound more than once; give each number a name of its own  [bend-dim]
    MaxPool2d(3, 1, 9, 9, 3, stride=stride)  # E: MaxPool2d: dimension "stride" is not static: "stride" is bound more than once; give each number a name of its own  [bend-dim]
    Conv2d(3, 1, 9, 9, 2, 3, 3, stride=0)  # E: Conv2d: dimension "stride" is 0; give at least 1, only the number of rows may be 0  [bend-dim]
    Conv2d(3, 1, 9, 9, 2, 3, 3, padding=0)
    Conv2d(3, 1, 9, 9, 2, 3, 3, padding=-1)  # E: Conv2d: dimension "padding" is -1; a size is not negative  [bend-dim]


def strided(n: Dim[N] = 2, *, stride: Dim[STRIDE] = 2, padding: Dim[PAD] = 0) -> None:  # E: Incompatible default for parameter "n" (default has type "int", parameter has type "N")  [assignment] # E: Incompatible default for parameter "stride" (default has type "int", parameter has type "STRIDE")  [assignment]
    raise NotImplementedError


Seq(Conv2d(2, 3, 8, 8, 4, 3, 3), Linear(2, 145, 10))  # E: Seq: the first layer gives Mat[2, 144] (((h + 2*padding - kh)//stride + 1)*((2*padding + w - kw)//stride + 1)*o = 6*6*4), the second takes Mat[2, 145]  [bend-shape]
Seq(ReLU(2, 20), Conv2d(2, 3, 8, 8, 4, 3, 3))  # E: Seq: the first layer gives Mat[2, 20], the second takes Mat[2, 192] (c*h*w = 3*8*8)  [bend-shape]
Seq(
    ReLU(2, 3),
    ReLU(2, 3),
    ReLU(2, 3),
    ReLU(2, 3),
    ReLU(2, 3),
    ReLU(2, 3),
    Conv2d(2, 3, 8, 8, 4, 3, 3),  # E: Seq: the sixth layer gives Mat[2, 3], the seventh takes Mat[2, 192] (c*h*w = 3*8*8)  [bend-shape]
    ReLU(2, 144),
)
