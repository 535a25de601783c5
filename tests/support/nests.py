"""Nests: arrays in tuples and records, as layers take and give them, and the specs that describe them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.laws.nest import mapped, rebuilt, replaced
from bendtorch.laws.trial import filled
from bendtorch.shapes.spec import ArraySpec

__all__ = [
    "array_specs",
    "drawn",
    "equals_wide",
    "fits",
    "mapped",
    "rebuilt",
    "replaced",
    "whole_params",
    "wide",
]


def wide(value: Any) -> Any:
    """A nest with its float32 arrays as float64; ids stay ids."""
    return mapped(lambda array: array.astype(np.float64 if array.dtype.kind == "f" else np.int64), value)


def array_specs(spec: Any) -> list[ArraySpec]:
    """The specs of the arrays of a nest, in order."""
    return [one for part in spec for one in array_specs(part)] if isinstance(spec, tuple) else [spec]


def fits(value: Any, spec: Any) -> bool:
    """Whether a value is the nest of arrays that a spec says."""
    if isinstance(spec, tuple):
        return type(value) is tuple and len(value) == len(spec) and all(map(fits, value, spec))
    kinds = {"Mat": ("float32",), "Ids": ("int32", "int64"), "Places": ("int32",), "Counter": ("uint32",)}[spec.kind]
    return type(value) is np.ndarray and value.shape == spec.shape and str(value.dtype) in kinds


def drawn(spec: Any, seed: int, whole: bool = False) -> Any:
    """Arrays of a spec, in a nest of tuples like it: normally distributed, or small whole numbers."""
    return filled(spec, np.random.default_rng(seed), "whole" if whole else "ordinary")


def whole_params(layer: Any, seed: int) -> Any:
    """Parameters of the layer that are small whole numbers."""
    p = layer.zeros()
    layer.load(p, np.random.default_rng(seed).integers(-2, 3, layer.count()).astype(np.float32), 0)
    return p


def equals_wide(actual: Any, expected: Any) -> bool:
    """Whether float32 arrays hold exactly these float64 numbers, in the same nest."""
    if isinstance(expected, tuple):
        same_length = isinstance(actual, tuple) and len(actual) == len(expected)
        return same_length and all(map(equals_wide, actual, expected))
    narrow = np.asarray(expected, np.float64)
    return bool(actual.dtype == np.float32 and actual.shape == narrow.shape and np.array_equal(actual, narrow))
