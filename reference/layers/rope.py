"""RoPE beside the formula of `transformers` (`apply_rotary_pos_emb`), which computes angles in the numbers' own type.

The interleaved order is compared with the product of complex numbers, as in the first implementations of Llama.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from bendtorch import RoPE
from reference.compare import Case, Draw, Row, judge_all
from reference.errors import Array
from reference.inputs import Fill, cancelling, mixed, normal, planted, scaled
from reference.layers.passes import passes
from reference.pytorch import evaluate

SIZES: Final = ((0, 2, 3, 4), (1, 1, 1, 1), (10, 5, 3, 33), (64, 64, 4, 64), (256, 128, 9, 32), (2048, 2048, 1, 16))
SMALL: Final = (35, 7, 3, 5)
OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {"interleaved": True},
    {"base": 500_000.0},
    {"offset": 1000},
    {"offset": 100_000, "interleaved": True},
)
KINDS: Final[dict[str, Fill]] = {
    "mixed sizes": mixed,
    "cancelling": cancelling,
    "large": scaled(3e37),
    "below the normal range": scaled(1e-40),
    "edge values": planted(normal, np.nan, np.inf, -np.inf, -0.0, 1e-45),
}
TOLERANCE: Final = 4.0  # roundings: of the table, of a product, of the sum


@dataclass(frozen=True)
class Formula:
    """The rotation in PyTorch; with squared tables and no signs, the sizes of its terms."""

    t: int
    half: int
    base: float = 10000.0
    offset: int = 0
    interleaved: bool = False

    def tables(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """cos and sin, rows × 1 × half."""
        positions = (torch.arange(len(x)) % self.t + self.offset).to(x.dtype)
        inverse = 1.0 / self.base ** (torch.arange(0, 2 * self.half, 2).to(x.dtype) / (2 * self.half))
        angles = (positions[:, None] * inverse)[:, None, :]
        return angles.cos(), angles.sin()

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """The rotated rows."""
        cos, sin = self.tables(x)
        if self.interleaved:
            pairs = torch.view_as_complex(x.reshape(len(x), x.shape[1] // (2 * self.half), self.half, 2))
            return torch.view_as_real(pairs * torch.complex(cos, sin)).reshape(x.shape)
        heads = x.reshape(len(x), x.shape[1] // (2 * self.half), 2 * self.half)
        turned = torch.cat((-heads[..., self.half :], heads[..., : self.half]), dim=-1)
        return (heads * torch.cat((cos, cos), dim=-1) + turned * torch.cat((sin, sin), dim=-1)).reshape(x.shape)

    def terms(self, x: Array) -> Array:
        """The root of the sum of the squares of both terms of each number."""
        squares = torch.from_numpy(np.square(x.astype(np.float64)))
        cos, sin = (table**2 for table in self.tables(squares))
        shape = (self.half, 2) if self.interleaved else (2, self.half)
        heads = squares.reshape(len(x), -1 if len(x) else 1, *shape)
        a, b = heads.unbind(-1 if self.interleaved else -2)
        both = torch.stack((a * cos + b * sin, b * cos + a * sin), dim=-1 if self.interleaved else -2)
        return np.sqrt(both.reshape(x.shape).numpy())


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on RoPE."""
    cases = [_case("normal", normal, size, {}) for size in SIZES]
    for options in OPTIONS:
        named = ", ".join(f"{name}={value}" for name, value in options.items())
        cases += [_case(named, normal, size, options) for size in SIZES[2:4]]
    for kind, fill in KINDS.items():
        cases += [_case(kind, fill, SMALL, {}), _case(f"{kind}, interleaved", fill, SMALL, {"interleaved": True})]
    return judge_all(cases)


def _case(kind: str, fill: Fill, size: tuple[int, int, int, int], options: dict[str, Any]) -> Case:
    """One case: n rows of sequences of t, h heads of 2·half."""
    n, t, h, half = size
    layer, formula, shape = RoPE(n // t * t, t, h, half, **options), Formula(t, half, **options), (n, 2 * h * half)
    name = f"{kind}, {n}×{t}×{h}×{half}"

    def draw(seed: int) -> Draw:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        inputs, dy = {"x": fill(rng, shape)}, fill(rng, shape)
        return Draw(
            ours=passes(layer, inputs, dy),
            theirs=evaluate(formula, inputs, dy, torch.float32),
            exact=evaluate(formula, inputs, dy, torch.float64),
            scale={"y": formula.terms(inputs["x"]), "dx": formula.terms(dy)},
        )

    return Case(name, draw, TOLERANCE)
