"""Every layer that ships, one line each: a function of sizes that builds it, and the laws that it is exempt from.

    "RMSNorm": Entry(lambda n, c: of.RMSNorm(n, c)),

`test_layers` checks the laws of all of them, and that none is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import bendtorch
from bendtorch.laws.trial import AnyLayer

of: Final[Any] = bendtorch  # with sizes that are only known at run time


@dataclass(frozen=True)
class Entry:
    """A function of sizes (the batch first) that builds the layer, and for each law it is exempt from the reason."""

    maker: Callable[..., AnyLayer]
    exempt: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


REGROUPS: Final = {"L31": "it regroups rows across the batch"}

LAYERS: Final[Mapping[str, Entry]] = {
    "Dropout": Entry(lambda n, c: of.Dropout(n, c, 0.25, 7)),
    "Linear": Entry(of.Linear),
    "LinearFirst": Entry(of.LinearFirst),
    "LinearNB": Entry(of.LinearNB),
    "ReLU": Entry(of.ReLU),
}

COMBINATORS: Final[Mapping[str, Entry]] = {
    "Add2": Entry(of.Add2),
    "Assoc": Entry(of.Assoc),
    "Both": Entry(lambda n, a, b: of.Both(of.Linear(n, a, b), of.LinearNB(n, b, a))),
    "Concat": Entry(of.Concat),
    "Copy": Entry(of.Copy),
    "Drop": Entry(of.Drop),
    "Fork": Entry(lambda n, a, b: of.Fork(of.Linear(n, a, b), of.ReLU(n, a))),
    "Id": Entry(of.Id),
    "Mul2": Entry(of.Mul2),
    "Permute": Entry(of.Permute, REGROUPS),
    "Repeat": Entry(lambda n, c: of.Repeat(3, of.Linear(n, c, c) >> of.ReLU(n, c))),
    "Reshape": Entry(lambda n, i, k: of.Reshape(n, i * k, n * k, i)),
    "Residual": Entry(lambda n, c: of.Residual(of.Linear(n, c, c))),
    "Seq": Entry(lambda n, i, o: of.Seq(of.Linear(n, i, o), of.ReLU(n, o), of.LinearNB(n, o, i))),
    "Split": Entry(of.Split),
    "Swap": Entry(of.Swap),
    "Tie": Entry(lambda n, c: of.Tie(of.LinearNB(n, c, c), of.Linear(n, c, c), of.LinearNB(n, c, c))),
}
