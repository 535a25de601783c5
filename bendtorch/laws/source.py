"""Where trials come from: a layer, a loss, an optimizer, a clipping, or a function of sizes that builds one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import BendError, ConfigError, DtypeError, ShapeError
from bendtorch.laws.law import CLIP, LAYER, LOSS, OPTIMIZER
from bendtorch.laws.loss_layer import loss_layer
from bendtorch.laws.trial import AnyLayer, Trial, draw, filled, like_example, quiet
from bendtorch.layer import Layer
from bendtorch.layers.linear import Linear
from bendtorch.layers.tanh import Tanh
from bendtorch.losses.loss import Loss
from bendtorch.optim.clip import ClipNorm, ClipValue
from bendtorch.optim.config import OPTIMIZERS

Maker: TypeAlias = Any
"""A layer, loss, optimizer or clipping, or a function of sizes that builds one."""

BATCHES: Final = (0, 1, 2, 3, 5, 8)
WIDTHS: Final = (1, 2, 3, 4, 5, 8)
KEPT: Final = 4096  # trials, so that a long check takes no more memory than a short one
ATTEMPTS: Final = 50  # sizes drawn for one case until the maker takes them

KINDS: Final = ((Layer, LAYER), (Loss, LOSS), (OPTIMIZERS, OPTIMIZER), ((ClipNorm, ClipValue), CLIP))

_linear: Any = Linear
_tanh: Any = Tanh


def kind_of(made: object) -> str | None:
    """What laws are checked on: a layer, a loss, an optimizer or a clipping; None for anything else."""
    return next((name for types, name in KINDS if isinstance(made, types)), None)


def stepped(n: int, i: int, o: int) -> AnyLayer:
    """The layer whose parameters an optimizer or a clipping is tried on."""
    layer: AnyLayer = _linear(n, i, o) >> _tanh(n, o)
    return layer


@dataclass(frozen=True)
class Source:
    """Where trials come from. Drawn ones are kept: laws that are tried on the same numbers share them."""

    maker: Maker
    x: Any = None
    kept: dict[Any, Trial] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if kind_of(self.maker) is None and not callable(self.maker):
            raise ConfigError(f"laws: expected a layer, or a function of sizes that builds one, got {self.maker!r}")

    @property
    def fixed(self) -> bool:
        """Whether there is one layer (or loss) of fixed sizes."""
        return kind_of(self.maker) in (LAYER, LOSS)

    @property
    def build(self) -> Callable[..., Any]:
        """The function of sizes."""
        if self.fixed:
            return lambda: self.maker
        return stepped if kind_of(self.maker) else self.maker

    @property
    def names(self) -> tuple[str, ...]:
        """The sizes that are drawn."""
        if self.fixed:
            return ()
        parameters = inspect.signature(self.build).parameters.values()
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return tuple(p.name for p in parameters if p.kind in kinds and p.default is inspect.Parameter.empty)

    def __str__(self) -> str:
        if kind_of(self.maker):
            return str(self.maker)
        name = getattr(self.maker, "__name__", "<lambda>")
        return f"{'the layer' if name == '<lambda>' else name}({', '.join(self.names)})"

    def first(self) -> tuple[str, str]:
        """What is checked: its kind, and the name of the layer or loss."""
        trial = self.drawn(0, ("ordinary",))
        subject = trial.layer if trial.subject is None else trial.subject
        kind = kind_of(subject) or LAYER
        return kind, trial.layer.info.name if kind in (LAYER, LOSS) else type(subject).__name__

    def trial(self, sizes: tuple[int, ...], seed: int, kind: str = "ordinary") -> Trial:
        """The trial of these sizes."""
        made = self.build(*sizes)
        if isinstance(made, Loss):
            with quiet():
                return self._of_loss(made, sizes, seed, kind)
        if not isinstance(made, Layer):
            raise DtypeError(f"laws: {self} must build a layer or a loss, got {type(made).__name__}")
        if self.x is not None and made.info.takes is not None:
            raise ConfigError(f"laws: {made} says itself what it takes, so its inputs are drawn; leave out x")
        resized = partial(_with_batch, self.build, sizes) if sizes else None
        with quiet():
            trial = draw(made, seed, kind, sizes, resized, self.x)
        return trial if self.build is not stepped else replace(trial, subject=self.maker)

    def _of_loss(self, loss: Loss[Any, Any], sizes: tuple[int, ...], seed: int, kind: str) -> Trial:
        """The trial of a loss, as a layer from its output to its value, for a drawn target."""
        generator = np.random.default_rng((seed, 1))
        if self.x is not None:
            target = like_example(self.x[1], generator, kind)
        elif loss.wants is not None:
            target = filled(loss.wants, generator, kind)
        else:
            raise ConfigError(f"laws: {loss} does not say what it takes; give the check an example: x=(y, target)")
        layer = loss_layer(loss, target)
        trial = draw(layer, seed, kind, sizes, example=None if self.x is None else self.x[0])
        loss.value(trial.x, target)  # an empty batch is refused here, and another one drawn
        resized = partial(_with_batch, self.build, sizes) if sizes else None
        return replace(trial, subject=loss, target=target, resized=resized)

    def drawn(self, seed: int, kinds: tuple[str, ...]) -> Trial:
        """A trial of sizes that the maker takes. Raises `ConfigError` when it takes none."""
        if (seed, kinds) not in self.kept:
            if len(self.kept) >= KEPT:
                self.kept.clear()
            self.kept[seed, kinds] = self._draw(seed, kinds)
        return self.kept[seed, kinds]

    def _draw(self, seed: int, kinds: tuple[str, ...]) -> Trial:
        generator = np.random.default_rng(seed)
        kind, refusal = str(generator.choice(kinds)), ""
        for _ in range(ATTEMPTS):
            sizes = tuple(int(generator.choice(WIDTHS if i else BATCHES)) for i in range(len(self.names)))
            try:
                return self.trial(sizes, seed, kind)
            except (ShapeError, ConfigError) as error:
                refusal = str(error)
                if self.fixed:
                    raise
        raise ConfigError(f"laws: {self} refuses every size that was drawn; the last time with: {refusal}")


REFUSALS: Final[tuple[type[BendError], ...]] = (ShapeError, ConfigError)
"""What a maker raises for sizes that it does not take."""


def _with_batch(maker: Callable[..., AnyLayer], sizes: tuple[int, ...], n: int) -> AnyLayer:
    """The layer for a batch of another size."""
    return maker(n, *sizes[1:])
