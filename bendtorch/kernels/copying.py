"""Loops that only move numbers: an array that is filled, one that is copied.

A kernel copies with these, not by assigning to a slice: for `a[:] = b` numba also compiles the text of the error for
arrays of different sizes, which takes longer than many a kernel. A number costs `fill` 4 bytes, `copy` 8.
"""

from __future__ import annotations

import numpy as np

from bendtorch.kernels.arrays import Flat
from bendtorch.kernels.compile import helper


@helper
def fill(target: Flat, value: np.float32) -> None:
    """target = value."""
    for i in range(target.size):
        target[i] = value


@helper
def copy(source: Flat, target: Flat) -> None:
    """target = source, as far as the target goes."""
    for i in range(target.size):
        target[i] = source[i]
