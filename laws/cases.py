"""Layers, parameters, inputs and cotangents for the laws, drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bendtorch import GELUErf, Layer, LayerNorm, Linear, LinearFirst, LinearNB, LogSoftmax, ReLU, RMSNorm, Softmax, Tanh
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.trial import filled
from bendtorch.laws.trial import parameters as drawn_parameters
from bendtorch.shapes.spec import ArraySpec

AnyLayer = Layer[Any, Any, Any, Any]

KEEP: Final[dict[str, Any]] = {
    "GELUErf": GELUErf,
    "LayerNorm": LayerNorm,
    "LogSoftmax": LogSoftmax,
    "ReLU": ReLU,
    "RMSNorm": RMSNorm,
    "Softmax": Softmax,
    "Tanh": Tanh,
}


def keeping_width(make: Any) -> Callable[[Any, Any, Any], AnyLayer]:
    """A layer that keeps its width, as a function of rows, inputs and outputs."""
    return lambda n, i, o: make(n, i)


# Each takes rows, inputs and outputs; a layer that keeps its width ignores the outputs.
MAKERS: Final[dict[str, Callable[[Any, Any, Any], AnyLayer]]] = {
    "Linear": Linear,
    "LinearNB": LinearNB,
    **{name: keeping_width(make) for name, make in KEEP.items()},
}
FIRST: Final[dict[str, Callable[[Any, Any, Any], AnyLayer]]] = {"LinearFirst": LinearFirst, **MAKERS}

# The same cases in every run; the first case of a law may compile kernels.
law = settings(
    derandomize=True, deadline=None, max_examples=200, print_blob=False, suppress_health_check=[HealthCheck.too_slow]
)

rows = st.sampled_from([0, 1, 2, 3, 7])
widths = st.sampled_from([1, 2, 3, 5, 8])
seeds = st.integers(0, 2**32 - 1)


@st.composite
def chains(draw: st.DrawFn, length: int) -> list[AnyLayer]:
    """Layers whose shapes meet, in a row."""
    n, width = draw(rows), draw(widths)
    layers: list[AnyLayer] = []
    for place in range(length):
        makers = FIRST if place == 0 else MAKERS
        layers.append(makers[draw(st.sampled_from(sorted(makers)))](n, width, draw(widths)))
        width = columns(layers[-1].info.gives)
    return layers


def columns(spec: Any) -> int:
    """The width of a matrix that a layer takes or gives."""
    assert isinstance(spec, ArraySpec)
    return spec.shape[1]


def normal(spec: Any, seed: int) -> Any:
    """Numbers of the shapes of a spec, in a nest of tuples like it; the same numbers however it is nested."""
    return filled(spec, np.random.default_rng(seed), "ordinary")


def parameters(layer: AnyLayer, seed: int) -> Any:
    """Random parameters for a layer; the same numbers however it is nested."""
    return drawn_parameters(layer, np.random.default_rng(seed), "ordinary")


def close(a: Any, b: Any) -> bool:
    """Whether two nests hold nearly the same numbers: sums taken in another order."""
    pairs = list(zip(arrays_in(a), arrays_in(b), strict=True))
    return all(x.shape == y.shape and np.allclose(x, y, rtol=1e-5, atol=1e-5) for x, y in pairs)


def same(a: Any, b: Any) -> bool:
    """Whether two nests hold arrays of the same bits."""
    left, right = arrays_in(a), arrays_in(b)
    if len(left) != len(right):
        return False
    return all(x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in zip(left, right, strict=True))
