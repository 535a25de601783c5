"""pool2d: the largest, or the mean, of windows of images, by the kernels of `MaxPool2d` and `AvgPool2d`.

    pool2d(x, size)     x: (n, c, h, w)   ->   (n, c, rows, columns)

The mean is linear. The largest number is read from a place, the first of equals, and a gradient goes there: linear too,
once the places are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.grad.arrays import image_rows, new_array
from bendtorch.grad.lazy import Lazy, force, known
from bendtorch.grad.rule import Linear, Rule
from bendtorch.grad.tape import guard_vars
from bendtorch.grad.var import Var
from bendtorch.kernels.avg_pool2d import avg_pool2d_forward, avg_pool2d_gradient
from bendtorch.kernels.max_pool2d import max_pool2d_forward, max_pool2d_gradient
from bendtorch.kernels.memory import empty_places
from bendtorch.kernels.windows import Window
from bendtorch.layers.windows import pool_window


@dataclass(frozen=True, slots=True)
class MeanPool(Linear):
    """The mean of each window."""

    window: Window
    name = "pool2d"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        (x,) = force(*xs)
        w = self.window
        y = new_array((x.shape[0], w.channels * w.rows * w.columns))
        avg_pool2d_forward(image_rows(x), y, w)
        return known(y.reshape(x.shape[0], w.channels, w.rows, w.columns))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Each window's share."""
        return d.graph.record1(MeanPoolGradient(self.window), d)


@dataclass(frozen=True, slots=True)
class MeanPoolGradient(Linear):
    """Each window's number, shared by its cells."""

    window: Window
    name = "pool2d_gradient"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        (d,) = force(*xs)
        w = self.window
        dx = new_array((d.shape[0], w.channels * w.height * w.width))
        avg_pool2d_gradient(image_rows(d), dx, w)
        return known(dx.reshape(d.shape[0], w.channels, w.height, w.width))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The means again."""
        return d.graph.record1(MeanPool(self.window), d)


class MaxPool(Rule):
    """The largest of each window. It keeps where these are."""

    __slots__ = ("places", "window")
    name = "pool2d"

    def __init__(self, window: Window) -> None:
        self.window = window
        self.places: Any = None

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        (x,) = force(*xs)
        w = self.window
        y = new_array((x.shape[0], w.channels * w.rows * w.columns))
        n, count = x.shape[0], w.channels * w.rows * w.columns
        self.places = empty_places(n, count)
        max_pool2d_forward(image_rows(x), y, self.places, w)
        return known(y.reshape(x.shape[0], w.channels, w.rows, w.columns))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """To the places that were read."""
        return d.graph.record1(ToPlaces(self.window, self.places), d)

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """What is in these places."""
        return None if ds[0] is None else ds[0].graph.record1(FromPlaces(self.window, self.places), ds[0])


@dataclass(frozen=True, slots=True, eq=False)
class ToPlaces(Linear):
    """Each window's number, added to its place among zeros."""

    window: Window
    places: Any
    name = "pool2d_gradient"

    def value(self, *xs: Lazy) -> Lazy:
        """By the layer's kernel, now."""
        (d,) = force(*xs)
        w = self.window
        dx = new_array((d.shape[0], w.channels * w.height * w.width))
        max_pool2d_gradient(self.places, image_rows(d), dx, w)
        return known(dx.reshape(d.shape[0], w.channels, w.height, w.width))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The numbers in these places."""
        return d.graph.record1(FromPlaces(self.window, self.places), d)


@dataclass(frozen=True, slots=True, eq=False)
class FromPlaces(Linear):
    """The number in each window's place."""

    window: Window
    places: Any
    name = "pool2d_places"

    def value(self, *xs: Lazy) -> Lazy:
        """Read by index."""
        (x,) = force(*xs)
        n, w = x.shape[0], self.window
        cells = x.reshape(n * w.channels, w.height * w.width)
        found = np.take_along_axis(cells, self.places.reshape(n * w.channels, w.rows * w.columns), 1)
        return known(found.reshape(n, w.channels, w.rows, w.columns))

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """To these places."""
        return d.graph.record1(ToPlaces(self.window, self.places), d)


def pool2d(x: Var, size: int, stride: int | None = None, average: bool = False) -> Var:
    """The largest number, or the mean, of windows of size × size, side by side unless a stride is given.

    Equal numbers: the first has the gradient, as in PyTorch. Raises `ShapeError` for shapes that do not fit.
    """
    guard_vars("pool2d", x)
    if x.ndim != 4:
        raise ShapeError(f"pool2d: x must be (n, c, h, w), got the shape {list(x.shape)}")
    if not isinstance(average, bool):
        raise ConfigError(f"pool2d: average must be True or False, got {average!r}")
    n, c, h, w = x.shape
    sizes = {"n": n, "c": c, "h": h, "w": w, "k": size}
    window = pool_window("pool2d", sizes, size if stride is None else stride, 0)
    return x.graph.record1(MeanPool(window) if average else MaxPool(window), x)
