"""Numbers as text that keeps every bit: a name, then each number as the decimal of its 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch.errors import DtypeError


def exact_text(name: str, x: np.ndarray[Any, np.dtype[np.float32]] | np.float32) -> str:
    """One line: `w 1065353216 3212836864` for `w` = [1, -1]; row by row for a matrix."""
    array = np.asarray(x)
    if array.dtype != np.float32:
        raise DtypeError(f"exact_text: {name} must be float32, got {array.dtype}")
    return " ".join([name, *map(str, np.ascontiguousarray(array).reshape(-1).view(np.uint32).tolist())])


def from_exact_text(line: str) -> tuple[str, np.ndarray[tuple[int], np.dtype[np.float32]]]:
    """`exact_text`'s inverse: the name and the numbers, flat."""
    name, *words = line.split(" ")
    try:
        bits = [int(word) for word in words]
        return name, np.array(bits, np.uint32).view(np.float32)
    except (ValueError, OverflowError):
        raise DtypeError(f"from_exact_text: {name} is not followed by numbers from 0 to 2^32 - 1") from None
