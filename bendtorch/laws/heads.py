"""What the laws of attention share: the sizes that a layer names, and inputs of which some numbers are others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bendtorch.laws.law import NotHereError
from bendtorch.laws.nest import Array, arrays_in, floats_in, rebuilt
from bendtorch.laws.trial import Trial


@dataclass(frozen=True)
class Heads:
    """The sizes that the layer of a trial names."""

    b: int
    t: int
    kv: int = 1
    g: int = 1
    hd: int = 1

    @classmethod
    def of(cls, trial: Trial, *names: str) -> Heads:
        """Those of a trial's layer; refuses a layer that does not name some."""
        sizes = trial.layer.info.sizes
        missing = [name for name in names if name not in sizes]
        if missing:
            raise NotHereError(f"its info.sizes do not name {', '.join(missing)}")
        rows = len(floats_in(trial.x)[0])
        given = {name: sizes[name] for name in names}
        return cls(b=rows // given["t"] if given["t"] else 0, **given)

    def at(self, array: Array) -> Array:
        """An array's rows as b × t × columns; a view."""
        return array.reshape(self.b, self.t, array.shape[-1])


def changed(value: Any, change: Callable[[int, Array], None]) -> Any:
    """A copy of a nest in which `change(place, array)` has changed the arrays of numbers, counted from 0."""
    arrays, place = [array.copy() for array in arrays_in(value)], 0
    for array in arrays:
        if array.dtype.kind == "f":
            change(place, array)
            place += 1
    return rebuilt(value, arrays)
