"""The numbers of one step of an optimizer, for all parameters or for each of a model's leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bendtorch.errors import ConfigError


@dataclass(frozen=True, slots=True)
class SGDAt:
    """Gradient descent at one step."""

    lr: float
    weight_decay: float = 0.0

    @property
    def numbers(self) -> tuple[float, ...]:
        """What the kernel reads."""
        return self.lr, self.weight_decay


@dataclass(frozen=True, slots=True)
class MomentumAt:
    """Gradient descent with momentum at one step."""

    lr: float
    momentum: float
    weight_decay: float = 0.0
    nesterov: bool = False

    @property
    def numbers(self) -> tuple[float, ...]:
        """What the kernel reads."""
        return self.lr, self.weight_decay, self.momentum, float(self.nesterov)


@dataclass(frozen=True, slots=True)
class AdamAt:
    """Adam or AdamW (`decoupled`) at one step, with that step's corrections.

    `step_size` is `lr / (1 - beta1^t)` and `denominator` is `sqrt(1 - beta2^t)`, as PyTorch computes them.
    """

    lr: float
    beta2: float
    eps: float
    weight_decay: float
    decoupled: bool
    step_size: float
    denominator: float
    one_minus_beta1: float
    one_minus_beta2: float

    @property
    def numbers(self) -> tuple[float, ...]:
        """What the kernel reads."""
        kept, added = (1 - self.lr * self.weight_decay, 0.0) if self.decoupled else (1.0, self.weight_decay)
        moments = (self.beta2, self.one_minus_beta1, self.one_minus_beta2)
        return kept, added, *moments, self.step_size, self.denominator, self.eps


OneOpt: TypeAlias = SGDAt | MomentumAt | AdamAt


@dataclass(frozen=True, slots=True)
class GroupedAt:
    """Other numbers for other leaves: leaf i of the dump order is stepped with `opts[index[i]]`."""

    opts: tuple[OneOpt, ...]
    index: tuple[int, ...]


Opt: TypeAlias = SGDAt | MomentumAt | AdamAt | GroupedAt


def share(opt: Opt, first: int, count: int) -> Opt:
    """The numbers for `count` leaves from leaf `first` on: one set where they are all of one group."""
    if not isinstance(opt, GroupedAt):
        return opt
    index = _indices(opt, first, count)
    return opt.opts[index[0]] if len(set(index)) == 1 else GroupedAt(opt.opts, index)


def of_leaf(opt: Opt, leaf: int) -> OneOpt:
    """The numbers for one leaf."""
    return opt.opts[_indices(opt, leaf, 1)[0]] if isinstance(opt, GroupedAt) else opt


def _indices(opt: GroupedAt, first: int, count: int) -> tuple[int, ...]:
    """The groups of `count` leaves from leaf `first` on."""
    index = opt.index[first : first + count]
    if len(index) != count:
        raise ConfigError(
            f"step: the optimizer's groups were made for {len(opt.index)} leaves, but leaf {first + count - 1} is "
            "stepped; bind the optimizer to the leaves of the model that it steps"
        )
    return index
