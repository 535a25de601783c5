"""Code that has nothing to do with sizes is left alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")
Number = TypeVar("Number", bound=int)


class Plain(Generic[T]):
    """Not a size parameter."""

    def __init__(self, value: T) -> None:
        self.value = value


def forward(x: Plain["Plain[int]"]) -> Sequence["Plain[str]"]:
    return [Plain(json.dumps(x.value.value))]


def biggest(numbers: Sequence[Number]) -> Number:
    return max(numbers)


count = biggest([len("abc"), 4])
picked = np.zeros((3, 4))[:, count - 3]
matrix = np.zeros((count, 2)) + np.ones(2)
total = sum(range(count))
