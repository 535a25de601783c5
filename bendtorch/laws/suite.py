"""`@law_suite`: a test for each law of a layer, in pytest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

from bendtorch.errors import BendError
from bendtorch.laws.catalogue import chosen
from bendtorch.laws.check import Numbers, outcome_of, require_counts
from bendtorch.laws.report import Outcome
from bendtorch.laws.source import Maker, Source

CASES: Final = 100

Item: TypeAlias = tuple[str, Callable[[], Outcome]]
"""A law's number, and the function that checks it."""


def law_suite(
    maker: Maker,
    *,
    only: Numbers | None = None,
    skip: Numbers = (),
    claims: Numbers = (),
    cases: int = CASES,
    seed: int = 0,
    x: Any = None,
) -> Callable[[Callable[[], object]], Callable[..., None]]:
    """Make a test of each law of a layer; the arguments are those of `check`.

        @law_suite(lambda n, i, o: MyLayer(n, i, o), skip="L31")
        def test_my_layer() -> None: ...

    The tests are `test_my_layer[L24]` and so on: one fails with the paragraph on its law, one whose law does not apply
    is skipped with the reason. What the decorated function does, if anything, is done before each. Needs pytest.
    """
    import pytest  # noqa: PLC0415  a program that checks laws without it need not have it

    options = {"only": only, "skip": skip, "claims": claims, "cases": cases, "seed": seed, "x": x}
    items = items_of(maker, **options)

    def decorate(function: Callable[[], object]) -> Callable[..., None]:
        @pytest.mark.parametrize("law", [pytest.param(run, id=number) for number, run in items])
        def test(law: Callable[[], Outcome]) -> None:
            __tracebackhide__ = True
            function()
            judge(law)

        test.__name__ = test.__qualname__ = function.__name__
        test.__doc__, test.__module__ = function.__doc__, function.__module__
        return test

    return decorate


def judge(run: Callable[[], Outcome]) -> None:
    """Check a law in a test of pytest: a broken one fails it, one that says nothing skips it."""
    import pytest  # noqa: PLC0415

    __tracebackhide__ = True
    outcome = run()
    if outcome.failure is not None:
        pytest.fail(str(outcome.failure), pytrace=False)
    if not outcome.cases:
        pytest.skip(f"{outcome.law.number} does not apply: {outcome.reason}")


def items_of(
    maker: Maker,
    only: Numbers | None = None,
    skip: Numbers = (),
    claims: Numbers = (),
    cases: int = CASES,
    seed: int = 0,
    x: Any = None,
) -> list[Item]:
    """The laws of a layer, each with the function that checks it; one that raises it where the layer has a fault."""
    try:
        require_counts(cases, seed)
        source = Source(maker, x)
        laws = chosen(*source.first(), only, skip, claims)
    except BendError as error:
        return [("laws", partial(_refused, error))]
    return [(law.number, partial(outcome_of, law, source, cases, seed)) for law in laws]


def _refused(error: BendError) -> Outcome:
    raise error
