"""The arrays that kernels work on. Their sizes are the callers' business: layers have them in their types."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

Flat: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float32]]
Matrix: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]
Cube: TypeAlias = np.ndarray[tuple[int, int, int], np.dtype[np.float32]]
Totals: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
Integers: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
IntegerMatrix: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Labels: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int32 | np.int64]]
Sums: TypeAlias = np.ndarray[tuple[int, int, int], np.dtype[np.float64]]
Places: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int32]]
PlaceMatrix: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int32]]
