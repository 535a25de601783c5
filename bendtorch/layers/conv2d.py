"""Conv2d: each output channel is a sum over the windows of the image, times weights, plus a bias.

    y[o, r, s] = b[o] + Σ W[o, c, i, j] · x[c, r·stride + i - padding, s·stride + j - padding]

    x: n × c·h·w      W: o × c·kh·kw      b: 1 × o      y: n × o·rows·columns
    rows = (h + 2·padding - kh) // stride + 1      columns = (w + 2·padding - kw) // stride + 1

A row is one image, channels first: the memory of PyTorch's contiguous N × C × H × W. Cells outside of the image are
zeros. Backward, from dy: dx adds W · dy over the windows that a cell is in, dW adds dy · x over the windows and images,
db adds dy. It saves its input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic

from bendtorch.kernels.conv2d import conv2d_forward, conv2d_gradients, conv2d_input_gradient
from bendtorch.kernels.memory import empty_mat
from bendtorch.kernels.windows import Window
from bendtorch.layer import Bwd, Fwd, Info, Layer, Leaf, Params, describe, make_layer, uniform_init
from bendtorch.layer.given import GRADIENT, guard_record
from bendtorch.layers.windows import window_info, window_of
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import KH, KW, PAD, STRIDE, A, B, C, Dim, H, N, O, W
from bendtorch.shapes.guard import guard_mat, guard_target


@dataclass(frozen=True, slots=True)
class Conv(Generic[O, C, KH, KW]):
    """The parameters of a convolution: `weight` is o × c·kh·kw (o × c × kh × kw in files), `bias` is 1 × o."""

    weight: Mat[O, "C*KH*KW"]
    bias: Mat[1, O]


def Conv2d(
    n: Dim[N],
    c: Dim[C],
    h: Dim[H],
    w: Dim[W],
    o: Dim[O],
    kh: Dim[KH],
    kw: Dim[KW],
    *,
    stride: Dim[STRIDE] = 1,
    padding: Dim[PAD] = 0,
) -> Layer[
    Conv[O, C, KH, KW],
    Mat[N, "C*H*W"],
    Mat[N, "O*((H + 2*PAD - KH)//STRIDE + 1)*((W + 2*PAD - KW)//STRIDE + 1)"],
    Mat[N, "C*H*W"],
]:
    """A convolution of `n` images of c × h × w with `o` windows of kh × kw: PyTorch's `nn.Conv2d(c, o, (kh, kw), …)`.

    `stride` and `padding` are the same for both axes. The weights start evenly distributed on [-1/√k, 1/√k) with
    k = c·kh·kw, as PyTorch's.

    Raises `ShapeError` when a size is not possible or the window does not fit; its passes raise `ShapeError` or
    `DtypeError` for arrays of another shape or type.

    Laws: L24 to L29, L31 to L35, L39, L40, L44, L46 to L49, L51, L52, L68, L69.
    """
    sizes: dict[str, int] = {"n": n, "c": c, "h": h, "w": w, "o": o, "kh": kh, "kw": kw}
    window = window_of("Conv2d", sizes, kh, kw, stride, padding)
    rows, columns = (h + 2 * padding - kh) // stride + 1, (w + 2 * padding - kw) // stride + 1
    info = window_info("Conv2d", sizes, o, window)
    return _conv2d(n, c * h * w, o * rows * columns, conv2d_params(o, c, kh, kw), window, info)


def conv2d_params(o: Dim[O], c: Dim[C], kh: Dim[KH], kw: Dim[KW]) -> Params[Conv[O, C, KH, KW]]:
    """A convolution's parameters, drawn as PyTorch's `nn.Conv2d` draws them and stored in files as it stores them."""
    cells = c * kh * kw
    init = uniform_init(1 / math.sqrt(cells))
    return describe(
        (Leaf("weight", (o, cells), init, stored=(o, c, kh, kw)), Leaf("bias", (1, o), init, vector=True)),
        Conv,
        lambda p: (p.weight, p.bias),
    )


def _conv2d(
    n: Dim[N], a: Dim[A], b: Dim[B], params: Params[Conv[O, C, KH, KW]], window: Window, info: Info
) -> Layer[Conv[O, C, KH, KW], Mat[N, A], Mat[N, B], Mat[N, A]]:
    """The layer on rows of `a` numbers that gives rows of `b`."""
    name, (weight_shape, bias_shape) = str(info), (leaf.shape for leaf in params.leaves)

    def fwd(p: Conv[O, C, KH, KW], x: Mat[N, A]) -> Fwd[Mat[N, B], Mat[N, A]]:
        x, p = guard_mat(x, (n, a), name, "x"), guard_record(p, Conv, name)
        weight = guard_mat(p.weight, weight_shape, name, "weight")
        bias = guard_mat(p.bias, bias_shape, name, "bias")
        y = empty_mat(n, b)
        conv2d_forward(x, weight, bias, y, window)
        return Fwd(y, x)

    def bwd(
        p: Conv[O, C, KH, KW], s: Mat[N, A], dy: Mat[N, B], g: Conv[O, C, KH, KW]
    ) -> Bwd[Conv[O, C, KH, KW], Mat[N, A]]:
        p, g = guard_record(p, Conv, name), guard_record(g, Conv, name, GRADIENT)
        dy, s = guard_mat(dy, (n, b), name, "dy"), guard_mat(s, (n, a), name, "the saved input")
        weight = guard_mat(p.weight, weight_shape, name, "weight")
        into = guard_target(g.weight, weight_shape, name, "the gradient's weight")
        conv2d_gradients(dy, s, into, guard_target(g.bias, bias_shape, name, "the gradient's bias"), window)
        dx = empty_mat(n, a)
        conv2d_input_gradient(weight, dy, dx, window)
        return Bwd(dx, g)

    return make_layer(params, fwd, bwd, info)
