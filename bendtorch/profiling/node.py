"""The tree of what was measured: for each layer, and each of its passes, seconds in every step, calls, FLOPs, bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from bendtorch.layer.info import Info
from bendtorch.profiling.flops import ADDING, Formula, layer_flops


@dataclass
class Clock:
    """Which step it is, from 1; 0 before the first."""

    step: int = 0


@dataclass
class Pass:
    """One of the passes of a layer: what was measured of it.

    `seconds` has an entry for each step, the sum of its calls. `flops` and `traffic` are those of a step; None where
    they are not known.
    """

    clock: Clock
    seconds: list[float] = field(default_factory=list)
    calls: int = 0
    flops: float | None = None
    traffic: float | None = None

    def add(self, seconds: float) -> None:
        """Another call in the present step."""
        missing = max(self.clock.step, 1) - len(self.seconds)
        if missing > 0:
            self.seconds += [0.0] * missing
            self.calls = 0
        self.seconds[-1] += seconds
        self.calls += 1

    def forget(self) -> None:
        """Drop the times, not the counts."""
        self.seconds.clear()

    @property
    def median(self) -> float:
        """The median of the steps' seconds; 0 where nothing was measured."""
        return float(np.median(self.seconds)) if self.seconds else 0.0


@dataclass
class Node:
    """A layer, its passes and its parts. FLOPs and bytes of the passes are of one call, without its parts'.

    With `begins_step`, each forward pass begins a step: it is the whole model.
    """

    info: Info
    count: int
    forward: Pass
    backward: Pass
    parts: tuple[Node, ...] = ()
    begins_step: bool = False

    @property
    def name(self) -> str:
        """The layer as `bendtorch summary` writes it: its name and sizes."""
        sizes = ", ".join(map(str, self.info.sizes.values()))
        return f"{self.info.name}({sizes})" if sizes else self.info.name

    def every(self) -> Iterator[Node]:
        """This node and all below."""
        yield self
        for part in self.parts:
            yield from part.every()

    def flops(self, backward: bool) -> float | None:
        """Of a step, all parts included; None where one of them is not known."""
        return self._total(backward, "flops")

    def traffic(self, backward: bool) -> float | None:
        """Bytes of a step, all parts included; None where one of them is not known."""
        return self._total(backward, "traffic")

    def _total(self, backward: bool, what: str) -> float | None:
        own = self.backward if backward else self.forward
        amount: float | None = getattr(own, what)
        totals = [None if amount is None else amount * own.calls, *(part._total(backward, what) for part in self.parts)]
        known = [total for total in totals if total is not None]
        return sum(known) if len(known) == len(totals) else None


def node_of(info: Info, count: int, parts: tuple[Node, ...], clock: Clock, more: Mapping[str, Formula]) -> Node:
    """A node before anything was measured. The bytes of a layer without parts are found at its first call."""
    found = layer_flops(info, more)
    both = (None, None) if found is None else found
    forward, backward = Pass(clock, flops=both[0]), Pass(clock, flops=both[1])
    if parts:  # a combinator moves what it adds
        for own in (forward, backward):
            own.traffic = 12 * (own.flops or 0) if info.name in ADDING else 0
    return Node(info, count, forward, backward, parts)
