"""Where the coefficients of `bendtorch.kernels.vecmath` come from: `python -m reference.kernels.fit` prints them.

Each polynomial, or quotient of two, is fitted on Chebyshev points to values of 40 digits. Least squares with weights
that grow where the error is large (Lawson's method) make the error even over the interval; a quotient p / q is made
linear by asking for p = target · q, with an error that weighs 1 / q of the round before (Sanathanan and Koerner's
method). Then the coefficients are rounded to float32 one after another, and those that are left are fitted again after
each, so that they make up for it.

As a comparison, this file asks whether the coefficients in the package are as good as the fitted ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import mpmath as m
import numpy as np

from reference.compare import Row
from reference.errors import ROUNDING, Array

Real: TypeAlias = Any  # mpmath's numbers have no types
Function: TypeAlias = Callable[[Real], Real]

m.mp.dps = 40
POINTS: Final = 800
ROUNDS: Final = 120
AS_GOOD: Final = 1.05  # times the error of the fit


@dataclass(frozen=True)
class Fit:
    """A polynomial of `count` coefficients near `target` from `low` to `high`, the first of them perhaps given.

    With `below`, a quotient: that many coefficients of the polynomial below the line, after its 1. An error weighs
    `weight` in the relative error of the result. `points` is where x is, for x in the interval. The package has the
    coefficients in `vecmath/<file>.py` as `<prefix>_0`, `<prefix>_1`, …, then `<prefix>_BELOW_1`, ….
    """

    file: str
    prefix: str
    target: Function
    weight: Function
    low: Real
    high: Real
    count: int
    given: tuple[float, ...] = ()
    below: int = 0
    place: Function = lambda x: x

    def points(self) -> list[Real]:
        """The Chebyshev points of the interval."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return [self.place(middle + half * m.cos(m.pi * (i + m.mpf(1) / 2) / POINTS)) for i in range(POINTS)]

    def names(self) -> list[str]:
        """The names of the coefficients."""
        above = [f"{self.prefix}_{i}" for i in range(self.count)]
        return above + [f"{self.prefix}_BELOW_{i}" for i in range(1, self.below + 1)]

    def package(self) -> Array:
        """The coefficients that the package has."""
        module = importlib.import_module(f"bendtorch.kernels.vecmath.{self.file}")
        return np.array([getattr(module, name) for name in self.names()], np.float64)


class Sampled:
    """A fit's target, weights and columns on its points, in float64.

    The coefficients multiply the columns: the powers of x, and for what is below the line -target times a power.
    """

    def __init__(self, fit: Fit) -> None:
        points = fit.points()
        x = np.array([float(point) for point in points])
        self.fit = fit
        self.target = np.array([float(fit.target(point)) for point in points])
        self.weight = np.array([float(fit.weight(point)) for point in points])
        above, self.powers = [x**k for k in range(fit.count)], [x**k for k in range(1, fit.below + 1)]
        self.columns = np.stack(above + [-self.target * power for power in self.powers], axis=1)

    def below(self, coefficients: Array) -> Array:
        """The polynomial below the line; 1 where there is none."""
        tail = coefficients[self.fit.count :]
        total = np.ones(POINTS)
        for coefficient, power in zip(tail, self.powers, strict=True):
            total += coefficient * power
        return total

    def errors(self, coefficients: Array) -> Array:
        """The relative errors that the coefficients leave in the result."""
        off: Array = np.abs(self.columns @ coefficients - self.target) * self.weight / self.below(coefficients)
        return off

    def rounded(self) -> Array:
        """The coefficients in float32."""
        coefficients = np.zeros(self.columns.shape[1])
        coefficients[: len(self.fit.given)] = self.fit.given
        for first in range(len(self.fit.given), coefficients.size):
            self._fit_from(first, coefficients)
            coefficients[first] = np.float32(coefficients[first])
        return coefficients

    def _fit_from(self, first: int, coefficients: Array) -> None:
        """Fit the coefficients from `first` on in place."""
        rest = self.target - self.columns[:, :first] @ coefficients[:first]
        stress = np.ones(POINTS)
        for _ in range(ROUNDS):
            scale = np.sqrt(stress) * self.weight / self.below(coefficients)
            columns = self.columns[:, first:] * scale[:, None]
            sizes = np.linalg.norm(columns, axis=0)
            coefficients[first:] = np.linalg.lstsq(columns / sizes, rest * scale, rcond=None)[0] / sizes
            stress *= self.errors(coefficients) + 1e-30
            stress /= stress.sum()


def odd(function: Function) -> Function:
    """f(a) / a as a function of a², for an odd f."""
    return lambda s: function(m.sqrt(s)) / m.sqrt(s)


def tail_ratio(a: Real) -> Real:
    """The normal distribution's upper tail at a, over e^(-a²/2)."""
    return m.exp(a * a / 2) * m.erfc(a / m.sqrt(2)) / 2


def real(text: str) -> Real:
    """A number of 40 digits."""
    return m.mpf(text)


HALF_LN2: Final = m.log(2) / 2 * real("1.0001")
ALMOST_ZERO: Final = real("1e-12")

FITS: Final = (
    Fit("exp", "EXP", lambda r: (m.expm1(r) - r) / r**2, lambda r: r**2 / m.exp(r), -HALF_LN2, HALF_LN2, 5, (0.5,)),
    Fit(
        "log",
        "LOG",
        lambda f: (m.log1p(f) - f) / f**2,
        lambda f: f**2 / abs(m.log1p(f)),
        -real("1") / 3,
        real("1") / 3,
        9,
        (-0.5,),
    ),
    Fit(
        "tanh",
        "TANH",
        lambda s: (odd(m.tanh)(s) - 1) / s,
        lambda s: s / odd(m.tanh)(s),
        ALMOST_ZERO,
        real("0.7") ** 2,
        5,
    ),
    Fit(
        "erf",
        "SMALL",
        lambda s: odd(m.erf)(s) - 1,
        lambda s: 1 / odd(m.erf)(s),
        ALMOST_ZERO,
        real("0.93") ** 2,
        7,
    ),
    Fit(
        "erf",
        "LARGE",
        lambda a: m.log(m.erfc(a)) / a + 1,
        lambda a: a * m.erfc(a) / m.erf(a),
        real("0.92"),
        real("4"),
        6,
    ),
    Fit(
        "normal",
        "TAIL",
        lambda a: (real("0.5") - tail_ratio(a)) / a,
        lambda a: a / tail_ratio(a),
        real("-1"),
        real("11.5") / real("17.5"),
        5,
        below=5,
        place=lambda q: 3 * (1 + q) / (1 - q),  # from 0 to 14.5, and closer near 0
    ),
)


def rows(quick: bool) -> Iterator[Row]:
    """Whether the package's coefficients are as good as the fitted ones."""
    for fit in FITS:
        sampled = Sampled(fit)
        ours, best = sampled.errors(fit.package()).max(), sampled.errors(sampled.rounded()).max()
        fault = "" if ours <= AS_GOOD * best else "the package has other coefficients"
        shown = f"{ours / ROUNDING:.3g}", f"{best / ROUNDING:.3g}", f"{ours / best:.2f}"
        yield Row(f"{fit.file}: {fit.prefix}", "error of the fit", *shown, fault=fault)


def main() -> None:
    """Print the coefficients as the package writes them."""
    for fit in FITS:
        sampled = Sampled(fit)
        coefficients = sampled.rounded()
        print(f"# {fit.file}.py: off by {sampled.errors(coefficients).max() / ROUNDING:.3f} roundings at most")
        for name, coefficient in zip(fit.names(), coefficients, strict=True):
            print(f"{name}: Final = np.float32({float(coefficient)!r})")


if __name__ == "__main__":
    main()
