"""What breaks a part of a law that has several: for each the fault that this part alone must find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final

import numpy as np

import bendtorch
from bendtorch.laws.nest import arrays_in, mapped, rebuilt
from bendtorch.optim.at import GroupedAt
from tests.support.broken import Broken, attention, changed, loss, of, same

Maker = Callable[..., Any]


class OtherMomentum(bendtorch.Momentum):
    """Momentum that keeps half as much as it says: its first step is right."""

    def at(self, step: int) -> Any:
        """With half of the factor."""
        return replace(super().at(step), momentum=self.momentum / 2)


@dataclass(frozen=True)
class OneGroup:
    """A step with the numbers of the first group for every leaf."""

    step: Any
    elementwise = True

    def __call__(self, opt: Any, p: Any, g: Any, st: Any) -> Any:
        """One step."""
        return self.step(opt.opts[0] if isinstance(opt, GroupedAt) else opt, p, g, st)


def one_group(n: int, i: int, o: int) -> Any:
    layer = of.Linear(n, i, o)
    return replace(layer, step=OneGroup(layer.step))


def wrapping(n: int, v: int, d: int) -> Any:
    """An embedding that takes any id."""
    layer = of.Embedding(n, v, d)
    return replace(layer, fwd=lambda p, x: layer.fwd(p, x % v))


def trusting(n: int, c: int, h: int, w: int) -> Any:
    """A pool that takes any saved place."""
    layer = of.MaxPool2d(n, c, h + 1, w + 1, 2)
    return replace(layer, bwd=lambda p, s, dy, g: layer.bwd(p, s % ((h + 1) * (w + 1)), dy, g))


def keys_moved(dx: Any) -> Any:
    """The gradient of the keys, a little more."""
    q, k, v = arrays_in(dx)
    return rebuilt(dx, [q, k + np.float32(1), v])


def last_cleared(y: Any) -> Any:
    """The last row without NaN and infinities."""
    other = y.copy()
    other[-1:] = np.nan_to_num(other[-1:], posinf=0, neginf=0)
    return other


def saying(make: Maker, **options: object) -> Maker:
    """A layer that says other options than it has."""

    @wraps(make)
    def build(*sizes: int) -> Any:
        layer = make(*sizes)
        return replace(layer, info=replace(layer.info, options=options))

    return build


def forgetful(n: int, c: int) -> Any:
    """A dropout that draws the same mask at every step."""
    layer = of.Dropout(n, c, 0.5, 7)

    def fwd(p: Any, x: Any) -> Any:
        return layer.fwd(mapped(np.zeros_like, p), x)

    return replace(layer, fwd=fwd)


def right_half(y: Any) -> Any:
    """Each number that of the column beside it: of a pool of two columns, the left one is forgotten."""
    return np.ascontiguousarray(np.roll(y, -1, axis=1))


def interleaved(b: int, t: int, h: int, half: int) -> Any:
    return of.RoPE(b * t, t, h, half, interleaved=True)


PARTS: Final[Mapping[str, Broken]] = {
    "L39 in groups": Broken(one_group),
    "L41 of later steps": Broken(OtherMomentum(0.1)),
    "L51 of ids": Broken(wrapping),
    "L51 of saved places": Broken(trusting),
    "L53 of attention": Broken(attention(dx=keys_moved)),
    "L54 of sure answers": Broken(loss(of.CrossEntropy, lambda y, value: float(np.float64(1) + value) - 1.0, same)),
    "L61 of what is not finite": Broken(attention(causal=False, y=last_cleared)),
    "L62 of pairs": Broken(saying(interleaved, interleaved=False)),
    "L63 of padding": Broken(saying(of.Embedding, padding_id=0)),
    "L65 of steps": Broken(forgetful),
    "L68 of weights": Broken(lambda n, c, h, w: changed(of.Conv2d(n, c, h, w, 1, 1, 1), y=np.negative)),
    "L68 of pools": Broken(lambda n, c, h, w: changed(of.AvgPool2d(n, c, h + 2, w + 2, 2, stride=1), y=right_half)),
}
"""By the number of the law, and what of it."""
