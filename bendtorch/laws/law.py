"""What a law is: a number, a statement, and a function that compares two sides of it on one trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.laws.nest import Array, named, shown
from bendtorch.laws.trial import Trial

EXACT: Final = "exact"
CLOSE: Final = "close"


LAYER: Final = "layer"
LOSS: Final = "loss"
OPTIMIZER: Final = "optimizer"
CLIP: Final = "clip"


class NotHereError(Exception):
    """A trial on which a law says nothing, and why."""


@dataclass(frozen=True)
class Difference:
    """Where two sides of a law differ."""

    place: str
    left: str
    left_value: str
    right: str
    right_value: str

    def __str__(self) -> str:
        return f"at {self.place}, {self.left} gives {self.left_value} and {self.right} gives {self.right_value}"


@dataclass(frozen=True)
class Law:
    """A law of layers.

    `number` is its stable name (`L24`), `statement` what it says, `strength` whether both sides agree bit for bit
    (`exact`) or up to rounding (`close`), `when` the condition on which it applies. `compare(trial)` gives the first
    difference, or None; it raises `NotHereError` where the law says nothing. `kinds` are the numbers it is tried on.

    It is checked on whatever is one of `subjects`. Where `of` names some layers it is a law of those alone: another
    layer may claim it. `hint` is where to look when it is broken; `explain(trials, place)` finds out more where it
    can. `proved` says where it is proved for all layers.
    """

    number: str
    name: str
    statement: str
    strength: str
    compare: Callable[[Trial], Difference | None]
    kinds: tuple[str, ...]
    when: str = "always"
    of: tuple[str, ...] = ()
    subjects: tuple[str, ...] = (LAYER,)
    hint: str = ""
    proved: str = ""
    explain: Callable[[Sequence[Trial], str], str] | None = None


def differ(
    left: str,
    one: Mapping[str, Any],
    right: str,
    other: Mapping[str, Any],
    slack: Mapping[str, Sequence[float]] | None = None,
    *,
    nan_bits: bool = False,
) -> Difference | None:
    """The first difference of two sides, each a set of named nests.

    Without `slack` every bit must be equal, but for those of a NaN unless `nan_bits` says so. With it, array i of a
    nest may differ by `slack[name][i]`.
    """
    for name, nest in one.items():
        arrays, others = named(nest, name), named(other[name], name)
        if len(arrays) != len(others):
            return Difference(name, left, shown(nest), right, shown(other[name]))
        for i, ((place, a), (_, b)) in enumerate(zip(arrays, others, strict=True)):
            if a.shape != b.shape or a.dtype != b.dtype:
                return Difference(place, left, shown(a), right, shown(b))
            bad = np.argwhere(_unequal(a, b, nan_bits) if slack is None else _apart(a, b, slack[name][i]))
            if len(bad):
                where = tuple(int(k) for k in bad[0])
                return Difference(f"{place}[{', '.join(map(str, where))}]", left, str(a[where]), right, str(b[where]))
    return None


def _unequal(a: Array, b: Array, nan_bits: bool) -> Array:
    """Where two arrays differ in a bit."""
    if a.dtype.kind != "f":
        return np.asarray(a != b)
    bits = f"u{a.dtype.itemsize}"
    different: Array = np.ascontiguousarray(a).view(bits) != np.ascontiguousarray(b).view(bits)
    return different if nan_bits else different & ~(np.isnan(a) & np.isnan(b))


def _apart(a: Array, b: Array, slack: float) -> Array:
    """Where two arrays differ by more than `slack`, or one has a NaN or infinity that the other has not.

    A slack that is no number (of the size of results that overflowed) excuses nothing.
    """
    wide, other = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = (np.abs(wide - other) <= (slack if np.isfinite(slack) else 0.0)) | (wide == other)
    return np.asarray(~(near | (np.isnan(wide) & np.isnan(other))))
