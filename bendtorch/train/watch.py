"""Where NaN or infinity first appears: a second, slower pass over one batch in which every layer is watched."""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn, TypeVar

import numpy as np

from bendtorch.layer.counter import counter_cells
from bendtorch.layer.protocol import Bwd, Fwd, Layer
from bendtorch.losses.loss import Loss

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
Target = TypeVar("Target")
AnyLayer = Layer[Any, Any, Any, Any]


class _Found(Exception):  # noqa: N818  it carries the answer; nothing is wrong with the program
    """Where it is."""


def first_not_finite(model: Layer[P, X, Y, Any], loss: Loss[Y, Target], p: P, x: X, target: Target) -> str | None:
    """Where NaN or infinity first appears in the two passes over a batch, in words; None where all is finite.

    Layers are counted in the order in which they run, from 1, each copy of a `Repeat` for itself.
    """
    watch = _Watch()
    watched = watch.layer(model)
    try:
        if not _finite(x):
            return "the input of the model"
        forward = watched.fwd(p, x)
        out = loss.grad(forward.y, target)
        if not np.isfinite(out.loss) or not _finite(out.dy):
            return f"the loss, {loss}, of a finite output"
        watch.backward = True
        watched.bwd(p, forward.s, out.dy, watched.zeros())
    except _Found as found:
        return str(found)
    return None


class _Watch:
    """Counts the layers that run, and stops at the first whose results are not finite."""

    def __init__(self) -> None:
        self.runs = 0
        self.backward = False

    def layer(self, layer: AnyLayer) -> AnyLayer:
        """The layer with each of its parts watched, or itself."""
        if layer.rebuild is not None:
            return layer.rebuild(self.layer)

        def fwd(p: Any, x: Any) -> Fwd[Any, Any]:
            self.runs += 1
            if not _finite_params(layer, p):
                self.stop("the parameters", layer)
            forward = layer.fwd(p, x)
            if not _finite(forward.y):
                self.stop("the output", layer)
            return forward

        def bwd(p: Any, s: Any, dy: Any, g: Any) -> Bwd[Any, Any]:
            backward = layer.bwd(p, s, dy, g)
            if not _finite(backward.dx):
                self.stop("the gradient of the input", layer)
            if not _finite_params(layer, backward.g):
                self.stop("the gradient of the parameters", layer)
            self.runs -= 1
            return backward

        vary = layer.vary
        return dataclasses.replace(
            layer, fwd=fwd, bwd=bwd, vary=None if vary is None else lambda mode: self.layer(vary(mode))
        )

    def stop(self, what: str, layer: AnyLayer) -> NoReturn:
        """Say where, and leave the pass."""
        raise _Found(f"{what} of layer {self.runs}, {layer}")


def _finite(value: Any) -> bool:
    """Whether all numbers of a nest of arrays are finite; ids are."""
    if isinstance(value, tuple):
        return all(map(_finite, value))
    return not isinstance(value, np.ndarray) or bool(np.isfinite(value).all())


def _finite_params(layer: AnyLayer, p: Any) -> bool:
    """Whether all weights are finite; the bits of a counter may be anything."""
    flat = layer.dump(p)
    flat[counter_cells(layer.leaves)] = 0
    return bool(np.isfinite(flat).all())
