"""The sizes of the Llama models whose training steps are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Shape:
    """The sizes of a model and of its batch: `kv` key heads of 2·`half` numbers, each read by `g` query heads."""

    b: int
    t: int
    v: int
    d: int
    kv: int
    g: int
    half: int
    f: int
    depth: int

    @property
    def queries(self) -> int:
        """The width of all query heads together."""
        return self.kv * self.g * 2 * self.half

    @property
    def weights(self) -> int:
        """The numbers in all matrices, of which the output's is the table of tokens."""
        block = self.d * (2 * self.queries + 4 * self.kv * self.half + 3 * self.f)
        return self.depth * block + self.d * self.v

    @property
    def parameters(self) -> int:
        """The matrices and the norms' gains."""
        return self.weights + (2 * self.depth + 1) * self.d

    @property
    def flops(self) -> int:
        """Of a step: two a weight and token forward, four backward, and attention's products over half of the pairs."""
        return 3 * self.b * self.t * (2 * self.weights + self.depth * 2 * self.t * self.queries)


TINY: Final = Shape(8, 16, 64, 32, 2, 2, 4, 64, 2)
SMALL: Final = Shape(4, 128, 8192, 288, 6, 1, 24, 768, 4)
SMOLLM2: Final = Shape(2, 128, 49152, 576, 3, 3, 32, 1536, 30)
