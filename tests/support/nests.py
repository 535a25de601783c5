"""Nests: arrays in tuples and records, as layers take and give them, and the specs that describe them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bendtorch.shapes.spec import ArraySpec
from tests.support.arrays import as_lists


def mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """A nest with `change` applied to each array."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, tuple):
        return tuple(mapped(change, part) for part in value)
    return type(value)(*(mapped(change, getattr(value, name)) for name in type(value).__slots__))


def replaced(value: Any, place: int, array: Any) -> Any:
    """A nest with another array in the place of its array number `place`."""
    counter = iter(range(len(as_lists(value))))
    return mapped(lambda old: array if next(counter) == place else old, value)


def rebuilt(value: Any, arrays: list[Any]) -> Any:
    """A nest like `value` of other arrays."""
    others = iter(arrays)
    return mapped(lambda _: next(others), value)


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
    kinds = {"Mat": ("float32",), "Ids": ("int32", "int64"), "Counter": ("uint32",)}[spec.kind]
    return type(value) is np.ndarray and value.shape == spec.shape and str(value.dtype) in kinds


def drawn(spec: Any, seed: int, whole: bool = False) -> Any:
    """Arrays of a spec, in a nest of tuples like it.

    Normally distributed, or small whole numbers, whose sums of products are exact; ids are below their bound, or 0 or 1
    without one.
    """
    return _drawn(spec, np.random.default_rng(seed), whole)


def _drawn(spec: Any, generator: Any, whole: bool) -> Any:
    if isinstance(spec, tuple):
        return tuple(_drawn(part, generator, whole) for part in spec)
    if spec.kind == "Ids":
        return generator.integers(0, 2 if spec.below is None else spec.below, spec.shape)
    if whole:
        return generator.integers(-3, 4, spec.shape).astype(np.float32)
    return generator.standard_normal(spec.shape, dtype=np.float32)


def whole_params(layer: Any, seed: int) -> Any:
    """Parameters of the layer that are small whole numbers."""
    p = layer.zeros()
    layer.load(p, np.random.default_rng(seed).integers(-2, 3, layer.count()).astype(np.float32), 0)
    return p


def share(value: Any, n: int, start: int, stop: int) -> Any:
    """The rows in a nest that belong to the elements `start` to `stop` of a batch of n, each as many rows."""
    return mapped(lambda array: array[start * len(array) // n : stop * len(array) // n], value)


def equals_wide(actual: Any, expected: Any) -> bool:
    """Whether float32 arrays hold exactly these float64 numbers, in the same nest."""
    if isinstance(expected, tuple):
        same_length = isinstance(actual, tuple) and len(actual) == len(expected)
        return same_length and all(map(equals_wide, actual, expected))
    narrow = np.asarray(expected, np.float64)
    return bool(actual.dtype == np.float32 and actual.shape == narrow.shape and np.array_equal(actual, narrow))
