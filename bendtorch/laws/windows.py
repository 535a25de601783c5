"""L68: windows that slide over images see the same wherever an image is; those of pools in a mirror, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.laws.law import CLOSE, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import Array, arrays_in
from bendtorch.laws.sides import ROUNDING, size_of
from bendtorch.laws.trial import ORDINARY, Trial

POOLS: Final = ("MaxPool2d", "AvgPool2d")
"""Windows in which every cell counts alike."""


@dataclass(frozen=True)
class Slide:
    """How windows slide along one axis: they are `side` cells long, and `count` of them fit into `size` cells."""

    size: int
    side: int
    stride: int
    padding: int

    @property
    def count(self) -> int:
        """How many windows there are."""
        return (self.size + 2 * self.padding - self.side) // self.stride + 1

    @property
    def inside(self) -> list[int]:
        """The windows that have no cell on the padding."""
        starts = [place * self.stride - self.padding for place in range(self.count)]
        return [place for place, start in enumerate(starts) if start >= 0 and start + self.side <= self.size]

    @property
    def is_symmetric(self) -> bool:
        """Whether the windows end where the image with its padding does."""
        return (self.size + 2 * self.padding - self.side) % self.stride == 0


def _slides(trial: Trial) -> tuple[Slide, Slide]:
    """The rows and columns of a trial's images; refuses a layer that does not name their sizes."""
    sizes, options = trial.layer.info.sizes, trial.layer.info.options
    if not {"c", "h", "w"} <= sizes.keys() or not {"stride", "padding"} <= options.keys():
        raise NotHereError("it does not name its images' sizes (c, h, w), its stride and padding")
    stride, padding = (int(str(options[name])) for name in ("stride", "padding"))
    down, across = (sizes.get(name, sizes.get("k", 1)) for name in ("kh", "kw"))
    return Slide(sizes["h"], down, stride, padding), Slide(sizes["w"], across, stride, padding)


def _translates(trial: Trial) -> Difference | None:
    down, across = _slides(trial)
    n, layer = len(trial.x), trial.layer
    if not n:
        raise NotHereError("there is no image")
    image = trial.x.reshape(n, layer.info.sizes["c"], down.size, across.size)

    def windows(of: Any) -> Array:
        y: Array = layer.fwd(trial.p, np.ascontiguousarray(of).reshape(trial.x.shape)).y
        return y.reshape(n, -1, down.count, across.count)

    y, gains = windows(image), max([1.0, *map(size_of, arrays_in(trial.p))])
    slack = {"y": [4 * ROUNDING * (1 + size_of(y)) * gains]}
    for axis, slide in ((2, down), (3, across)) if layer.info.name in POOLS else ():
        if slide.is_symmetric:
            mirrored, wanted = windows(np.flip(image, axis)), np.flip(y, axis)
            found = differ("y of the mirrored image", {"y": mirrored}, "y, mirrored", {"y": wanted}, slack)
            if found is not None:
                return found
    found = _picks(trial, image, down, across) if {"kh", "kw", "o"} <= layer.info.sizes.keys() else None
    if found is not None:
        return found
    inside = [row for row in down.inside if row + 1 in down.inside]
    if not inside or not across.inside:
        raise NotHereError("no window stays inside of the image")
    moved, below = windows(np.roll(image, down.stride, axis=2)), [row + 1 for row in inside]
    one, two = moved[:, :, below][..., across.inside], y[:, :, inside][..., across.inside]
    return differ("y of the image moved down", {"y": one}, "y moved down", {"y": two}, slack)


def _picks(trial: Trial, image: Array, down: Slide, across: Slide) -> Difference | None:
    """Whether a window whose only weight is a 1 gives the cell that lies under it."""
    layer, generator, p = trial.layer, trial.generator(68), trial.layer.zeros()
    weight = arrays_in(p)[0].reshape(-1, image.shape[1], down.side, across.side)
    out, channel, i, j = (int(generator.integers(size)) for size in weight.shape)
    weight[out, channel, i, j] = 1
    y = layer.fwd(p, trial.x).y.reshape(len(image), -1, down.count, across.count)
    edge = (across.padding, across.padding)
    cells = np.pad(image[:, channel], ((0, 0), edge, edge))[:, i :: down.stride, j :: across.stride]
    wanted = cells[:, : down.count, : across.count]
    return differ(
        f"y, with the weight [{channel}, {i}, {j}] alone",
        {"y": y[:, out]},
        "the cells under it",
        {"y": wanted},
        {"y": [0.0]},
    )


WINDOWS: Final = (
    Law(
        "L68",
        "windows commute with translation",
        "an image moved by a stride gives y moved by one inside of borders; one weight of 1 gives cells; pools mirror",
        CLOSE,
        _translates,
        ORDINARY,
        "a window stays inside of the image",
        of=("Conv2d", *POOLS),
        hint="the window starts at another cell than row·stride - padding, or leaves one out",
    ),
)
