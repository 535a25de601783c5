"""Other settings for some of the parameters: no weight decay on gains and biases, a smaller rate for an embedding.

    Grouped(AdamW(3e-4, weight_decay=0.1), {VECTORS: AdamW(3e-4, weight_decay=0.0)})

A leaf of the model belongs to the first group that it matches, else to the default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.optim.at import GroupedAt
from bendtorch.optim.config import OPTIMIZERS, Adam, Momentum, Optimizer, PackedAdamW
from bendtorch.shapes.arguments import expect


class Named(Protocol):
    """What a group is told by: a leaf's name, shape, and whether it is a vector (a bias, a gain)."""

    @property
    def name(self) -> str:
        """The dotted path."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def vector(self) -> bool:
        """Whether files hold it with one axis."""


Match: TypeAlias = str | Callable[[Named], bool]
"""A pattern of names, as of files (`*.bias`), or a function of the leaf."""


def VECTORS(leaf: Named) -> bool:
    """The leaves that are vectors: biases, and the gains of norms."""
    return leaf.vector


@dataclass(frozen=True)
class Grouped:
    """An optimizer with other settings for some leaves; all of one kind, so that they have one state."""

    default: Optimizer
    groups: Mapping[Match, Optimizer] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        expect("Grouped", "default", self.default, OPTIMIZERS, "an optimizer, such as AdamW(1e-3)")
        expect(
            "Grouped", "groups", self.groups, Mapping, "a dict from a pattern to an optimizer, such as {'*.bias': ...}"
        )
        for match, optimizer in self.groups.items():
            if not isinstance(match, str) and not callable(match):
                raise ConfigError(f"Grouped: a group is a pattern of names or a function of the leaf, got {match!r}")
            expect("Grouped", "the value of a group", optimizer, OPTIMIZERS, "an optimizer, such as AdamW(1e-3)")
            if kind(optimizer) != kind(self.default):
                raise ConfigError(
                    f"Grouped: {optimizer} keeps another state than {self.default}; all groups of a model need the "
                    "same kind of optimizer"
                )

    def bind(self, leaves: Sequence[Named]) -> Bound:
        """The optimizer of a model with these leaves. Raises `ConfigError` for a group that no leaf belongs to."""
        matches = list(self.groups)
        index = tuple(next((i + 1 for i, m in enumerate(matches) if _fits(m, leaf)), 0) for leaf in leaves)
        for i, match in enumerate(matches):
            if i + 1 not in index:
                shown = repr(match) if isinstance(match, str) else getattr(match, "__name__", repr(match))
                names = ", ".join(leaf.name for leaf in leaves) or "none"
                raise ConfigError(f"Grouped: no leaf belongs to group {shown}; the model's leaves are {names}")
        return Bound((self.default, *self.groups.values()), index)


@dataclass(frozen=True)
class Bound:
    """A grouped optimizer of one model: leaf i is stepped by `optimizers[index[i]]`."""

    optimizers: tuple[Optimizer, ...]
    index: tuple[int, ...]

    def at(self, step: int) -> GroupedAt:
        """The numbers of step `step`, counted from 1."""
        return GroupedAt(tuple(optimizer.at(step) for optimizer in self.optimizers), self.index)


def bound(caller: str, optimizer: Optimizer | Grouped, leaves: Sequence[Named]) -> Optimizer | Bound:
    """The optimizer of a model with these leaves. Raises `ConfigError` for what is none."""
    expect(caller, "optimizer", optimizer, (*OPTIMIZERS, Grouped), "one such as Adam(lr=1e-3)")
    return optimizer.bind(leaves) if isinstance(optimizer, Grouped) else optimizer


def first_of(optimizer: Optimizer | Bound) -> Optimizer:
    """One of its optimizers: all of them keep the same kind of state."""
    return optimizer.optimizers[0] if isinstance(optimizer, Bound) else optimizer


FINAL: Final = (PackedAdamW, Adam, Momentum)


def kind(optimizer: Optimizer) -> tuple[str, bool]:
    """Which state an optimizer keeps."""
    name = next((base.__name__ for base in FINAL if isinstance(optimizer, base)), "SGD")
    return name, isinstance(optimizer, PackedAdamW) and optimizer.second


def _fits(match: Match, leaf: Named) -> bool:
    return fnmatchcase(leaf.name, match) if isinstance(match, str) else match(leaf)
