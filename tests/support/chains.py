"""Random chains of layers, nested in any way."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from bendtorch.layers import Linear, LinearFirst, LinearNB, ReLU
from tests.support.sizes import rows, widths

MAKE: Final[dict[str, Any]] = {"Linear": Linear, "LinearFirst": LinearFirst, "LinearNB": LinearNB, "ReLU": ReLU}


@st.composite
def lists_of_layers(draw: st.DrawFn, least: int = 2, most: int = 5) -> list[Any]:
    """Layers that can stand one after another."""
    n, count = draw(rows), draw(st.integers(least, most))
    layers, width = [], draw(widths)
    for _ in range(count):
        kind = draw(st.sampled_from(["Linear", "LinearNB", "ReLU"]))
        if kind == "ReLU":
            layers.append(MAKE[kind](n, width))
        else:
            out = draw(widths)
            layers.append(MAKE[kind](n, width, out))
            width = out
    return layers


@st.composite
def nestings(draw: st.DrawFn, layers: list[Any]) -> Any:
    """The layers in a row, with `>>` bracketed at random."""
    if len(layers) == 1:
        return layers[0]
    cut = draw(st.integers(1, len(layers) - 1))
    return draw(nestings(layers[:cut])) >> draw(nestings(layers[cut:]))


def left_nested(layers: list[Any]) -> Any:
    """`a >> b >> c`."""
    result = layers[0]
    for layer in layers[1:]:
        result = result >> layer
    return result


def input_of(layer: Any, seed: int) -> Any:
    """An input of the layer."""
    return np.random.default_rng(seed).standard_normal(layer.info.takes.shape).astype(np.float32)


def output_gradient_of(layer: Any, seed: int) -> Any:
    """A gradient of the layer's output."""
    return np.random.default_rng(seed).standard_normal(layer.info.gives.shape).astype(np.float32)
