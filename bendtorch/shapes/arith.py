"""Size arithmetic inside the type checker. Not for users: write `Mat[N, "4*D"]`.

The mypy plugin reads the string `"4*D"` and builds `Mul[Literal[4], D]` from it; these classes are what it builds with.
They are never instantiated.
"""

from __future__ import annotations

from typing import Generic

from bendtorch.shapes.dims import A, B


class Mul(int, Generic[A, B]):
    """The product of two sizes."""


class Add(int, Generic[A, B]):
    """The sum of two sizes."""


class Div(int, Generic[A, B]):
    """The floor quotient of two sizes."""
