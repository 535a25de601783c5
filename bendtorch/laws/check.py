"""`check`: every law that applies to a layer, on drawn sizes, parameters, inputs and cotangents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.laws.catalogue import chosen
from bendtorch.laws.law import Difference, Law, NotHereError
from bendtorch.laws.report import Failure, Outcome, Report
from bendtorch.laws.shrink import Shrinker
from bendtorch.laws.source import REFUSALS, Maker, Source
from bendtorch.laws.trial import ORDINARY, Trial, quiet

Numbers: TypeAlias = str | Iterable[str]
"""A law's number, or several."""

MORE: Final = 12  # trials beside the failing one, to see what a mistake has in common


def check(
    maker: Maker,
    *,
    only: Numbers | None = None,
    skip: Numbers = (),
    claims: Numbers = (),
    cases: int = 100,
    seed: int = 0,
    x: Any = None,
) -> Report:
    """Check every law that applies to a layer. A test of one's own layer is one call: `check(MyLayer)`.

    `maker` is a layer, or a function of sizes that builds one: those of its parameters that have no default are drawn
    (0, 1, odd and even ones), the first as the batch, which alone may be 0. Sizes that it refuses with `ShapeError` or
    `ConfigError` are drawn again. A loss (or a function of sizes that builds one), an optimizer or `ClipNorm` has laws
    of its own.

    The laws of any layer are checked, and those of the layers that ship on a layer of their name. A layer of another
    name `claims` them by number: `claims="L52"` says that it works row by row. `skip` leaves some out; `only` checks
    some and no others, whatever the name. Case i is drawn from the seed `seed + i`, so a run is the same every time.
    `x` is an example of an input, for a layer that does not say what it takes (and for no other); of a loss, of output
    and target.

    Raises `LawError`, with one paragraph on each broken law: which law, which side gave what, where they differ, on the
    smallest case found, and how to repeat it. Raises `ConfigError` for a law that is not there, or when no layer can be
    built. `examine` gives the same report without raising.
    """
    return examine(maker, only=only, skip=skip, claims=claims, cases=cases, seed=seed, x=x).raise_if_failed()


def examine(
    maker: Maker,
    *,
    only: Numbers | None = None,
    skip: Numbers = (),
    claims: Numbers = (),
    cases: int = 100,
    seed: int = 0,
    x: Any = None,
) -> Report:
    """As `check`, but broken laws are only reported."""
    require_counts(cases, seed)
    source = Source(maker, x)
    laws = chosen(*source.first(), only, skip, claims)
    return Report(str(source), tuple(outcome_of(law, source, cases, seed) for law in laws))


def require_counts(cases: object, seed: object) -> None:
    """Refuse a number of cases, or a seed, that is none."""
    for name, value, least in (("cases", cases, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigError(f"laws: {name} must be an int of at least {least}, got {value!r}")


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
        with quiet():
            return law.compare(trial.fresh())
    except NotHereError:
        raise
    except Exception as error:
        return error


def _smallest(law: Law, source: Source, trial: Trial, first: Difference | Exception, seed: int) -> Failure:
    """The failure on the smallest trial on which the law is broken in the same way.

    A layer that does not give the same twice may break the law only now and then: then it is said as it was found.
    """
    kinds = (*ORDINARY, "wide") if trial.kind == "wide" else ORDINARY

    def fails(other: Trial) -> bool:
        try:
            return type(found(law, other)) is type(first)
        except NotHereError:
            return False

    def drawn(sizes: tuple[int, ...], other_seed: int) -> Trial | None:
        try:
            return source.trial(sizes, other_seed, kinds[other_seed % len(kinds)])
        except REFUSALS:
            return None

    explained = _explained(law, source, trial, first, seed)
    small = Shrinker(fails, drawn)(trial)
    try:
        last = found(law, small)
    except NotHereError:
        last = None
    if last is None:
        return Failure(law, trial, first, seed, comes_and_goes=True)
    return Failure(law, small, last, seed, explained=explained)


def _explained(law: Law, source: Source, trial: Trial, first: Difference | Exception, seed: int) -> str:
    """What the law finds out about a failure, from the trial it was found on and some more."""
    if law.explain is None or not isinstance(first, Difference):
        return ""
    with quiet():
        more = [source.drawn(seed + 1 + i, law.kinds).fresh() for i in range(MORE)]
        try:
            return law.explain([trial.fresh(), *more], first.place)
        except Exception:  # a layer at fault may raise on other trials
            return ""
