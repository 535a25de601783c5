"""Overloads of the user's own that take layers."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from bendtorch import Layer, Linear, Mat, ReLU
from bendtorch.shapes.dims import C, N

P = TypeVar("P")
P2 = TypeVar("P2")
X = TypeVar("X")
Y = TypeVar("Y")
Z = TypeVar("Z")


@overload
def after(f: Layer[P, X, Y, Any], g: Layer[P2, Y, Z, Any]) -> Layer[tuple[P, P2], X, Z, Any]: ...
@overload
def after(f: Layer[P, X, Y, Any], g: Mat[N, C]) -> Mat[N, C]: ...
def after(f: Layer[Any, Any, Any, Any], g: Any) -> Any:
    raise NotImplementedError


after(Linear(3, 4, 5), ReLU(3, 5))
after(Linear(3, 4, 5), ReLU(3, 6))  # E: after: the first layer gives Mat[3, 5], the second takes Mat[3, 6]  [bend-shape]
after(Linear(3, 4, 5), "ReLU")  # E: No overload variant of "after" matches argument types "Layer[Lin[4, 5], Mat[3, 4], Mat[3, 5], Mat[3, 4]]", "str"  [call-overload] # N:     def [P, X, Y, N: int, C: int] after(f: Layer[P, X, Y, Any], g: Mat[N, C]) -> Mat[N, C] # N:     def [P, X, Y, P2, Z, Y] after(f: Layer[P, X, Y, Any], g: Layer[P2, Y, Z, Any]) -> Layer[tuple[P, P2], X, Z, Any] # N: Possible overload variants:
