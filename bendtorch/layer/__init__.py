"""The layer protocol, and what a layer's parameters are described with."""

from __future__ import annotations

from bendtorch.layer.describe import counter, describe, matrix, no_params
from bendtorch.layer.info import Info
from bendtorch.layer.leaf import Init, Leaf, ones_init, uniform_init, zeros_init
from bendtorch.layer.params import Params, Step, Unit
from bendtorch.layer.protocol import Bwd, Fwd, Layer, make_layer
from bendtorch.layer.variant import of_parts

__all__ = [
    "Bwd",
    "Fwd",
    "Info",
    "Init",
    "Layer",
    "Leaf",
    "Params",
    "Step",
    "Unit",
    "counter",
    "describe",
    "make_layer",
    "matrix",
    "no_params",
    "of_parts",
    "ones_init",
    "uniform_init",
    "zeros_init",
]
