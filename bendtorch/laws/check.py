"""`check`: every law that applies to a layer, on drawn sizes, parameters, inputs and cotangents."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.laws.differences import DIFFERENCES
from bendtorch.laws.gradients import ACCUMULATES, LINEAR, PURE, SCALES, SPLITS, TYPES
from bendtorch.laws.law import Difference, Law, NotHereError
from bendtorch.laws.parameters import CONCATENATES, COUNTS, RESTORES
from bendtorch.laws.report import Failure, Outcome, Report
from bendtorch.laws.shrink import Shrinker
from bendtorch.laws.trial import AnyLayer, Trial, draw
from bendtorch.layer import Layer

LAWS: Final[tuple[Law, ...]] = (
    LINEAR,
    TYPES,
    DIFFERENCES,
    SPLITS,
    ACCUMULATES,
    PURE,
    SCALES,
    RESTORES,
    CONCATENATES,
    COUNTS,
)
"""Every law, in the order of their numbers."""

Maker: TypeAlias = AnyLayer | Callable[..., AnyLayer]

BATCHES: Final = (0, 1, 2, 3, 5, 8)
WIDTHS: Final = (1, 2, 3, 4, 5, 8)
ATTEMPTS: Final = 50  # sizes drawn for one case until the maker takes them


def check(
    maker: Maker,
    *,
    only: str | Iterable[str] | None = None,
    skip: str | Iterable[str] = (),
    cases: int = 100,
    seed: int = 0,
    x: Any = None,
) -> Report:
    """Check every law that applies to a layer. A test of one's own layer is one call: `check(MyLayer)`.

    `maker` is a layer, or a function of sizes that builds one: those of its parameters that have no default are drawn
    (0, 1, odd and even ones), the first as the batch, which alone may be 0. Sizes that it refuses with `ShapeError` or
    `ConfigError` are drawn again. `only` and `skip` pick laws by their numbers (`"L24"`). Case i is drawn from the seed
    `seed + i`, so a run is the same every time. `x` is an example of an input, for a layer that does not say what it
    takes.

    Raises `LawError`, with one paragraph on each broken law: which law, which side gave what, where they differ, on the
    smallest case found, and how to repeat it. Raises `ConfigError` for a law that is not there, or when no layer can be
    built. `examine` gives the same report without raising.
    """
    return examine(maker, only=only, skip=skip, cases=cases, seed=seed, x=x).raise_if_failed()


def examine(
    maker: Maker,
    *,
    only: str | Iterable[str] | None = None,
    skip: str | Iterable[str] = (),
    cases: int = 100,
    seed: int = 0,
    x: Any = None,
) -> Report:
    """As `check`, but broken laws are only reported."""
    if isinstance(cases, bool) or not isinstance(cases, int) or cases < 1:
        raise ConfigError(f"laws: cases must be an int of at least 1, got {cases!r}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ConfigError(f"laws: seed must be an int of at least 0, got {seed!r}")
    laws, source = chosen(only, skip), Source(maker, x)
    return Report(str(source), tuple(outcome_of(law, source, cases, seed) for law in laws))


def chosen(only: str | Iterable[str] | None, skip: str | Iterable[str]) -> tuple[Law, ...]:
    """The laws of these numbers. Raises `ConfigError` for a number that no law has."""
    known = [law.number for law in LAWS]
    wanted = known if only is None else [only] if isinstance(only, str) else list(only)
    unwanted = [skip] if isinstance(skip, str) else list(skip)
    for number in (*wanted, *unwanted):
        if number not in known:
            raise ConfigError(f"laws: there is no law {number!r} to check; there are {', '.join(known)}")
    return tuple(law for law in LAWS if law.number in wanted and law.number not in unwanted)


@dataclass(frozen=True)
class Source:
    """Where trials come from: a layer, or a function of sizes that builds one."""

    maker: Maker
    x: Any = None

    def __post_init__(self) -> None:
        if not callable(self.maker) and not isinstance(self.maker, Layer):
            raise ConfigError(f"laws: expected a layer, or a function of sizes that builds one, got {self.maker!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """The sizes that are drawn."""
        if isinstance(self.maker, Layer):
            return ()
        parameters = inspect.signature(self.maker).parameters.values()
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return tuple(p.name for p in parameters if p.kind in kinds and p.default is inspect.Parameter.empty)

    def __str__(self) -> str:
        if isinstance(self.maker, Layer):
            return str(self.maker)
        name = getattr(self.maker, "__name__", "<lambda>")
        return f"{'the layer' if name == '<lambda>' else name}({', '.join(self.names)})"

    def trial(self, sizes: tuple[int, ...], seed: int, kind: str = "ordinary") -> Trial:
        """The trial of these sizes."""
        if isinstance(self.maker, Layer):
            return draw(self.maker, seed, kind, example=self.x)
        layer = self.maker(*sizes)
        if not isinstance(layer, Layer):
            raise DtypeError(f"laws: {self} must build a layer, got {type(layer).__name__}")
        resized = partial(_with_batch, self.maker, sizes) if sizes else None
        return draw(layer, seed, kind, sizes, resized, self.x)

    def drawn(self, seed: int, kinds: tuple[str, ...]) -> Trial:
        """A trial of sizes that the maker takes. Raises `ConfigError` when it takes none."""
        generator = np.random.default_rng(seed)
        kind, refusal = str(generator.choice(kinds)), ""
        for _ in range(ATTEMPTS):
            sizes = tuple(int(generator.choice(WIDTHS if i else BATCHES)) for i in range(len(self.names)))
            try:
                return self.trial(sizes, seed, kind)
            except (ShapeError, ConfigError) as error:
                refusal = str(error)
                if isinstance(self.maker, Layer):
                    raise
        raise ConfigError(f"laws: {self} refuses every size that was drawn; the last time with: {refusal}")


def _with_batch(maker: Callable[..., AnyLayer], sizes: tuple[int, ...], n: int) -> AnyLayer:
    """The layer for a batch of another size."""
    return maker(n, *sizes[1:])


def outcome_of(law: Law, source: Source, cases: int, seed: int) -> Outcome:
    """What holds of one law over a number of cases."""
    compared, reason = 0, ""
    for i in range(cases):
        trial = source.drawn(seed + i, law.kinds)
        try:
            broken = found(law, trial)
        except NotHereError as error:
            reason = str(error)
            continue
        compared += 1
        if broken is not None:
            return Outcome(law, compared, failure=_smallest(law, source, trial, broken, seed + i))
    return Outcome(law, compared, reason)


def found(law: Law, trial: Trial) -> Difference | Exception | None:
    """The difference on one trial, or what the layer raises. Lets `NotHereError` through."""
    try:
        with np.errstate(all="ignore"):
            return law.compare(trial.fresh())
    except NotHereError:
        raise
    except Exception as error:
        return error


def _smallest(law: Law, source: Source, trial: Trial, first: Difference | Exception, seed: int) -> Failure:
    """The failure on the smallest trial on which the law is broken in the same way.

    A layer that does not give the same twice may break the law only now and then: then it is said as it was found.
    """

    def fails(other: Trial) -> bool:
        try:
            return type(found(law, other)) is type(first)
        except NotHereError:
            return False

    def drawn(sizes: tuple[int, ...], other_seed: int) -> Trial | None:
        try:
            return source.trial(sizes, other_seed, "whole" if other_seed % 2 else "ordinary")
        except (ShapeError, ConfigError):
            return None

    small = Shrinker(fails, drawn)(trial)
    last = found(law, small)
    return Failure(law, trial, first, seed, comes_and_goes=True) if last is None else Failure(law, small, last, seed)
