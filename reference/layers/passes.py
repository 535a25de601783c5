"""A layer's two passes beside PyTorch's: what the comparisons of all layers share."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from bendtorch.layer import Layer
from reference.compare import Case, Draw
from reference.errors import Array
from reference.inputs import Fill, normal
from reference.pytorch import Function, evaluate, term_sizes

Scale: TypeAlias = Callable[[Mapping[str, Array], Array], Mapping[str, Array]]
"""The size of the terms of each result, from the inputs and dy."""


@dataclass(frozen=True, slots=True)
class Fills:
    """How the input, the parameters and the output's gradient of a case are made."""

    x: Fill = normal
    parameters: Fill = normal
    dy: Fill = normal


def layer_case(
    name: str,
    layer: Layer[Any, Any, Any, Any],
    function: Function,
    shapes: tuple[tuple[int, ...], tuple[int, int]],
    fills: Fills,
    tolerance: float,
    most: int = 200,
    scale: Scale | None = None,
    sizes: Callable[[Function, Mapping[str, Array], Array], dict[str, Array]] = term_sizes,
) -> Case:
    """A case of a layer against `function(x, **leaves)`.

    `shapes` are those of x (a matrix, or a vector of ids) and y. Quantities: y, dx (where the layer gives one), and the
    gradient of each leaf. The size of the terms that each result is summed from is told by `sizes`, which by default
    takes the function for a sum of products of its inputs, or by `scale`, from the inputs alone.
    """
    fixed = () if layer.info.input_gradient else ("x",)

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        inputs = {"x": fills.x(rng, shapes[0])}
        inputs |= {leaf.name: fills.parameters(rng, leaf.shape).reshape(leaf.stored_shape) for leaf in layer.leaves}
        dy = fills.dy(rng, shapes[1])
        return Draw(
            ours=passes(layer, inputs, dy),
            theirs=evaluate(function, inputs, dy, torch.float32, fixed),
            exact=evaluate(function, inputs, dy, torch.float64, fixed),
            scale=sizes(function, inputs, dy) if scale is None else scale(wide(inputs), dy.astype(np.float64)),
        )

    return Case(name, draw, tolerance, most=most)


def wide(inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The inputs in float64."""
    return {name: array.astype(np.float64) for name, array in inputs.items()}


def passes(layer: Layer[Any, Any, Any, Any], inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """Our layer's output and gradients, under PyTorch's names."""
    p, flat = layer.zeros(), [inputs[leaf.name].reshape(-1) for leaf in layer.leaves]
    layer.load(p, np.concatenate([np.empty(0, np.float32), *flat]), 0)
    forward = layer.fwd(p, inputs["x"])
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    results = {"y": forward.y}
    if layer.info.input_gradient and inputs["x"].dtype.kind == "f":
        results["dx"] = backward.dx
    gradients, start = layer.dump(backward.g), 0
    for leaf in layer.leaves:
        results[f"d{leaf.name}"] = gradients[start : start + leaf.cells].reshape(leaf.stored_shape)
        start += leaf.cells
    return results
