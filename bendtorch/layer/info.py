"""What a layer says of itself: its name, sizes, parts and shapes, for errors, summaries and checks at composition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from bendtorch.shapes.spec import Spec

if TYPE_CHECKING:
    from bendtorch.layer.protocol import Layer

LINE: Final = 100  # letters of a layer in a message


@dataclass(frozen=True)
class Info:
    """A layer's description of itself. Whatever is None is not known, and then not checked at composition.

    `options` are the keyword arguments that differ between layers of the same sizes (`eps`, `causal`). `parts` are the
    layers a combinator was built from (a chain's are flattened). `input_gradient` is False for a layer whose backward
    pass gives zeros instead of the gradient of its input (`LinearFirst`). `links` are the layers in a row that a layer
    of another name stands for, whose places name its parameters (`Residual(f)` is `Fork(Id, f) >> Add2`).
    """

    name: str
    sizes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    takes: Spec | None = None
    gives: Spec | None = None
    saves: Spec | None = None
    parts: tuple[Layer[Any, Any, Any, Any], ...] = ()
    input_gradient: bool = True
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    links: tuple[Layer[Any, Any, Any, Any], ...] = ()

    def __str__(self) -> str:
        """The call that built the layer: `Linear(32, 64, 10)`, `Repeat(4, ReLU(32, 64))`, `RMSNorm(8, 64, eps=0.1)`."""
        return self._call(map(str, self.parts))

    @property
    def brief(self) -> str:
        """The same for a message of one line: a long chain is `Seq of 7 layers`, also inside of other layers."""
        whole = str(self)
        if len(whole) <= LINE or not self.parts:
            return whole
        shorter = self._call(part.info.brief for part in self.parts)
        count = len(self.parts)
        return shorter if len(shorter) <= LINE else f"{self.name} of {count} layer{'s' * (count > 1)}"

    def _call(self, parts: Iterable[str]) -> str:
        options = (f"{name}={value}" for name, value in self.options.items())
        return f"{self.name}({', '.join((*map(str, self.sizes.values()), *parts, *options))})"


def both_known(first: Spec | None, second: Spec | None) -> Spec | None:
    """The spec of a pair; not known where one of the two is not."""
    return None if first is None or second is None else (first, second)
