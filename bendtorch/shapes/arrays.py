"""The array types: `Mat[N, C]`, `Ids[N]`, and what layers keep: `Places[N, C]`, `FlatF32`, `Counter`.

A `Mat` is float32 and has two axes, `Ids` are int32 or int64 and have one, `Places` are int32 and have two.
To a type checker `Mat[N, C]` is `np.ndarray[tuple[N, C], np.dtype[np.float32]]`, so users pass plain numpy arrays and
wrap nothing. At run time it is the jaxtyping annotation `Float32[np.ndarray, "N C"]`, which `@checked` enforces.
A size is a dimension variable, a number, a `Final`, or a string of arithmetic (`"4*D"`, `"B*T"`, `"KV*G*HD"`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from bendtorch.shapes.dims import C, N

    Mat: TypeAlias = np.ndarray[tuple[N, C], np.dtype[np.float32]]
    Ids: TypeAlias = np.ndarray[tuple[N], np.dtype[np.int32 | np.int64 | np.intp]]
    Places: TypeAlias = np.ndarray[tuple[N, C], np.dtype[np.int32]]
    FlatF32: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float32]]
    Counter: TypeAlias = np.ndarray[tuple[Literal[1], Literal[1]], np.dtype[np.uint32]]
else:
    from jaxtyping import AbstractDtype, Float32, Int32, UInt32

    from bendtorch.shapes.runtime import SizedArray

    class Index(AbstractDtype):
        """The integer types that ids and labels may have."""

        dtypes = ("int32", "int64")

    Mat = SizedArray("Mat", Float32, 2)
    Ids = SizedArray("Ids", Index, 1)
    Places = SizedArray("Places", Int32, 2)
    FlatF32 = Float32[np.ndarray, "_"]
    Counter = UInt32[np.ndarray, "1 1"]
