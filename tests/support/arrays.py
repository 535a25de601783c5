"""Arrays for tests: random numbers, every layout that numpy can give a matrix, every dtype that is refused."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.laws.nest import arrays_in

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def numbers(seed: int, *shape: int, scale: float = 1.0) -> Any:
    """Normally distributed float32 numbers; the same for the same seed."""
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def labels(seed: int, count: int, classes: int) -> Any:
    """Labels in 0 to classes - 1."""
    return np.random.default_rng(seed).integers(0, classes, count)


def special_numbers(seed: int, *shape: int) -> Any:
    """Numbers among which are NaN, infinities, signed zeros and subnormals."""
    generator = np.random.default_rng(seed)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 1e-39, 3e38, -3e38], np.float32)
    chosen = generator.choice(special, shape)
    return np.where(generator.random(shape) < 0.5, chosen, numbers(seed + 1, *shape)).astype(np.float32)


def same_bits(a: Array, b: Array) -> bool:
    """Equal in shape, type and every bit: NaN equals NaN, -0 differs from +0."""
    return a.shape == b.shape and a.dtype == b.dtype and np.ascontiguousarray(a).tobytes() == b.tobytes()


def same_numbers(actual: Array, expected: Array) -> bool:
    """Equal in shape, type and every bit that is not a NaN's, and NaN in the same places."""
    nan = np.isnan(expected)
    if actual.shape != expected.shape or not np.array_equal(np.isnan(actual), nan):
        return False
    return same_bits(actual[~nan], expected[~nan])


def as_lists(value: Any) -> list[Array]:
    """The arrays inside of parameters, gradients or saved values, in order."""
    return arrays_in(value)


def all_same_bits(a: Any, b: Any) -> bool:
    """`same_bits` of every array inside of two values of one structure."""
    left, right = as_lists(a), as_lists(b)
    return len(left) == len(right) and all(map(same_bits, left, right))


def snapshot(value: Any) -> Any:
    """A deep copy, to see later whether somebody wrote into the original."""
    return copy.deepcopy(value)


def _negative_strides(x: Array) -> Array:
    turned = (slice(None, None, -1),) * x.ndim
    return x[turned].copy()[turned]


def _sliced(x: Array) -> Array:
    """Every second row, every third column of an array of wrong numbers."""
    steps = (2, 3)[: x.ndim]
    wrong = np.nan if x.dtype.kind == "f" else -(2**30)
    larger = np.full([step * size + step - 1 for step, size in zip(steps, x.shape, strict=True)], wrong, x.dtype)
    view = larger[tuple(slice(k - 1, k - 1 + k * size, k) for k, size in zip(steps, x.shape, strict=True))]
    view[...] = x
    return view


def _read_only(x: Array) -> Array:
    frozen = x.copy()
    frozen.flags.writeable = False
    return frozen


def _unaligned(x: Array) -> Array:
    view = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def _pickled(x: Array) -> Array:
    back: Array = pickle.loads(pickle.dumps(x))  # its dtype is equal to float32, but not the same object
    return back


class Subclass(np.ndarray[Any, np.dtype[Any]]):
    """An array class of a user's own."""


LAYOUTS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "fortran": np.asfortranarray,
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "negative strides": _negative_strides,
    "sliced": _sliced,
    "read-only": _read_only,
    "unaligned": _unaligned,
    "pickled": _pickled,
    "subclass": lambda x: x.copy().view(Subclass),
}
"""The same numbers, laid out in memory in another way."""

WRONG_TYPES: Final = ("float64", "float16", "int32", "int64", "uint8", "bool", "complex64", ">f4", "object")
WRONG_PLACES: Final = ("float32", "float64", "int8", "int16", "int64", "uint8", "uint32", "bool", ">i4", "object")
WRONG_IDS: Final = ("float32", "float64", "int8", "int16", "uint8", "uint32", "uint64", "bool", ">i4", ">i8", "object")


def broadcast_row(x: Array) -> Array:
    """The first row in place of every row, in the memory of one: stride 0, read-only."""
    return np.broadcast_to(x[:1], x.shape)
