"""The nesting of a combinator's parameters: pairs taken apart into a list in order, and built again.

A nest is `()` for one part, or a pair of nests: that of `a >> b >> c` is `(((), ()), ())`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from bendtorch.layer import Layer
from bendtorch.layer.given import guard_pair

Nest: TypeAlias = tuple[Any, ...]
AnyLayer: TypeAlias = Layer[Any, Any, Any, Any]

ONE: Final[Nest] = ()


def nested(layer: AnyLayer, inside: Callable[[AnyLayer], bool]) -> tuple[Nest, list[AnyLayer]]:
    """The nest of a layer of two parts, and the parts in order; parts that are `inside` are taken apart as well."""
    if not inside(layer):
        return ONE, [layer]
    (first, left), (second, right) = (nested(part, inside) for part in parts_of(layer))
    return (first, second), left + right


def parts_of(layer: AnyLayer) -> list[AnyLayer]:
    """The layers that a combinator was built from: those of a chain are the two sides of `>>`."""
    found: list[AnyLayer] = []

    def keep(part: AnyLayer) -> AnyLayer:
        found.append(part)
        return part

    if layer.rebuild is not None:
        layer.rebuild(keep)
    return found


def apart(nest: Nest, value: Any, layer: object, argument: str) -> list[Any]:
    """What lies in a nest, in order. Raises where the value is nested in another way."""
    found: list[Any] = []
    _take(nest, value, layer, argument, found)
    return found


def _take(nest: Nest, value: Any, layer: object, argument: str, found: list[Any]) -> None:
    if not nest:
        found.append(value)
        return
    first, second = guard_pair(value, layer, argument)
    _take(nest[0], first, layer, argument, found)
    _take(nest[1], second, layer, argument, found)


def together(nest: Nest, values: Iterator[Any]) -> Any:
    """The nest of values that come in order."""
    if not nest:
        return next(values)
    first = together(nest[0], values)
    return first, together(nest[1], values)
