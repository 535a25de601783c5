"""What a layer says of itself: its name, sizes, parts and shapes, for errors, summaries and checks at composition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bendtorch.shapes.spec import Spec

if TYPE_CHECKING:
    from bendtorch.layer.protocol import Layer


@dataclass(frozen=True)
class Info:
    """A layer's description of itself. Whatever is None is not known, and then not checked at composition.

    `options` are the keyword arguments that differ between layers of the same sizes (`eps`, `causal`). `parts` are the
    layers a combinator was built from (a chain's are flattened). `input_gradient` is False for a layer whose backward
    pass gives zeros instead of the gradient of its input (`LinearFirst`).
    """

    name: str
    sizes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    takes: Spec | None = None
    gives: Spec | None = None
    saves: Spec | None = None
    parts: tuple[Layer[Any, Any, Any, Any], ...] = ()
    input_gradient: bool = True
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def __str__(self) -> str:
        """The call that built the layer: `Linear(32, 64, 10)`, `Repeat(4, ReLU(32, 64))`, `RMSNorm(8, 64, eps=0.1)`."""
        inside = (*self.sizes.values(), *self.parts, *(f"{name}={value}" for name, value in self.options.items()))
        return f"{self.name}({', '.join(map(str, inside))})"


def both_known(first: Spec | None, second: Spec | None) -> Spec | None:
    """The spec of a pair; not known where one of the two is not."""
    return None if first is None or second is None else (first, second)
