"""conv2d: the convolution of images, by the kernels of the layer `Conv2d`.

    y[o] = b[o] + Σ_c w[o, c] ∗ x[c]        x: (n, c, h, w)   w: (o, c, kh, kw)   b: (o)   y: (n, o, rows, columns)

It is linear in the images and in the weight, and so are its gradients: each of the three is an operation whose
derivatives are the other two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bendtorch.errors import ShapeError
from bendtorch.grad.arrays import image_rows, new_array
from bendtorch.grad.lazy import Lazy, constant, force, known
from bendtorch.grad.reductions import sum_to
from bendtorch.grad.rule import Bilinear, Rule
from bendtorch.grad.shapes import reshape
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Var
from bendtorch.kernels.conv2d import conv2d_forward, conv2d_gradients, conv2d_input_gradient
from bendtorch.kernels.windows import Window
from bendtorch.layers.windows import window_of


@dataclass(frozen=True, slots=True)
class Convolution(Rule):
    """The convolution of images x with weights w, plus a bias b."""

    window: Window
    name = "conv2d"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        x, weight, bias = force(*xs)
        n, o, w = x.shape[0], weight.shape[0], self.window
        y = new_array((n, o * w.rows * w.columns))
        conv2d_forward(image_rows(x), image_rows(weight), bias.reshape(1, o), y, w)
        return known(y.reshape(n, o, w.rows, w.columns))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The gradients of the image, the weight, the bias."""
        x, weight, bias = xs
        if i == 0:
            return d.graph.record2(ImageGradient(self.window), weight, d)
        if i == 1:
            return d.graph.record2(WeightGradient(self.window, weight.shape), d, x)
        return reshape(sum_to(d, (bias.shape[0], 1, 1)), bias.shape)

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The convolution of either with the other's tangent, and the bias's."""
        (x, weight, bias), (dx, d_weight, d_bias), tape = xs, ds, out.graph
        nothing = tape.hold(constant(0.0, bias.shape))
        parts = []
        if dx is not None:
            parts.append(tape.record(self, dx, weight, nothing))
        if d_weight is not None:
            parts.append(tape.record(self, x, d_weight, nothing))
        if d_bias is not None:
            parts.append(reshape(d_bias, (bias.shape[0], 1, 1)))
        return sum(parts[1:], parts[0])


@dataclass(frozen=True, slots=True)
class ImageGradient(Bilinear):
    """The gradient of a convolution's images, from the weight and the gradient of its result: linear in both."""

    window: Window
    name = "conv2d_image_gradient"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        weight, d = force(*xs)
        w = self.window
        dx = new_array((d.shape[0], w.channels * w.height * w.width))
        conv2d_input_gradient(image_rows(weight), image_rows(d), dx, w)
        return known(dx.reshape(d.shape[0], w.channels, w.height, w.width))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Of the weight: its gradient for an image d; of the result's gradient: the convolution of d."""
        weight, given = xs
        if i == 0:
            return d.graph.record2(WeightGradient(self.window, weight.shape), given, d)
        return _plain(self.window, d, weight)


@dataclass(frozen=True, slots=True)
class WeightGradient(Bilinear):
    """The gradient of a convolution's weight, from the gradient of its result and the images: linear in both."""

    window: Window
    shape: tuple[int, ...]
    name = "conv2d_weight_gradient"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        d, x = force(*xs)
        gw, gb = np.zeros(self.shape, np.float32), np.zeros((1, self.shape[0]), np.float32)
        conv2d_gradients(image_rows(d), image_rows(x), image_rows(gw), gb, self.window)
        return known(gw)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Of the result's gradient: the convolution with d; of the images: their gradient for a weight d."""
        given, x = xs
        if i == 0:
            return _plain(self.window, x, d)
        return d.graph.record2(ImageGradient(self.window), d, given)


def _plain(window: Window, x: Var, weight: Var) -> Var:
    """A convolution without a bias."""
    bias = x.graph.hold(constant(0.0, weight.shape[:1]))
    return x.graph.record(Convolution(window), x, weight, bias)


def conv2d(x: Var, weight: Var, bias: Var, stride: int = 1, pad: int = 0) -> Var:
    """A convolution of images with the same stride and padding for both axes, as the layer `Conv2d`.

    Raises `ShapeError` for shapes that do not fit, or a window that does not fit into the image.
    """
    guard_vars("conv2d", x, weight, bias)
    fits = x.ndim == 4 and weight.ndim == 4 and x.shape[1] == weight.shape[1] and bias.shape == weight.shape[:1]
    if not fits:
        shapes = ", ".join(str(list(v.shape)) for v in (x, weight, bias))
        raise ShapeError(f"conv2d: expected x (n, c, h, w), weight (o, c, kh, kw) and bias (o), got {shapes}")
    (n, c, h, w), (o, _, kh, kw) = x.shape, weight.shape
    window = window_of("conv2d", {"n": n, "c": c, "h": h, "w": w, "o": o, "kh": kh, "kw": kw}, kh, kw, stride, pad)
    precision = x.graph.precision
    if precision is None:
        return x.graph.record(Convolution(window), x, weight, bias)
    low = precision.product(Convolution(window), x, weight, x.graph.hold(constant(0.0, bias.shape)))
    return low + reshape(bias, (o, 1, 1))
