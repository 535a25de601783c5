"""Symbols as arrays, so that the shipped combinators run on them as they are: guards, kernels, memory and all.

A matrix of a proof stands for a sum of terms: column j says how often term j is in it. Adding such matrices adds the
sums, and the zero matrix is the empty sum, so what a combinator does with its arrays is read off its results. A space
of values has a width of its own, so that its shape is its type.

Each row counts in other units (powers of two of either sign), and all rows must say the same: a combinator that looked
at the numbers, to clip, round or compare them, would make terms that are none, or other ones in other rows. That the
passes only hand values on, pair and add them is checked on their sources besides (`naturality`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from bendtorch.errors import BendError
from bendtorch.laws.proofs.terms import ZERO, Sum, Term, Value, one, total
from bendtorch.shapes.spec import ArraySpec, Spec, mat_spec

ROWS: Final = 3
WIDTH: Final = 64  # terms of a space, at least


class NoTermError(BendError):
    """An array that stands for no sum of terms."""


class Space:
    """Matrices of one shape, each a sum of terms."""

    def __init__(self, name: str, columns: int) -> None:
        self.name, self.columns = name, columns
        self.terms: list[Term] = []
        j, row = np.arange(columns), np.arange(ROWS)[:, None]
        self.units = (np.where((j + row) % 2, -1.0, 1.0) * 2.0 ** ((5 * j + 3 * row) % 11 - 5)).astype(np.float32)

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns."""
        return ROWS, self.columns

    @property
    def spec(self) -> ArraySpec:
        """The shape."""
        return mat_spec(ROWS, self.columns)

    def array(self, value: Sum) -> Any:
        """The matrix that stands for a sum."""
        counts = np.zeros(self.columns)
        for term, count in value.parts:
            counts[self._column(term)] = float(count)
        return (counts * self.units).astype(np.float32)

    def value(self, array: Any) -> Sum:
        """The sum that a matrix stands for. Raises `NoTermError` where it stands for none."""
        if not isinstance(array, np.ndarray) or array.shape != self.sizes or not np.all(np.isfinite(array)):
            raise NoTermError(f"this is no matrix of {self.name}: {array!r}")
        counts = np.asarray(array, np.float64) / self.units
        if np.any(counts != counts[0]) or counts[0, len(self.terms) :].any():
            raise NoTermError(f"a value of {self.name} is no sum of terms: its numbers were looked into, or not set")
        return total((term, Fraction(float(count))) for term, count in zip(self.terms, counts[0], strict=False))

    def _column(self, term: Term) -> int:
        if term not in self.terms:
            if len(self.terms) == self.columns:
                raise NoTermError(f"a proof needs more than {self.columns} terms of {self.name}")
            self.terms.append(term)
        return self.terms.index(term)


class World:
    """The spaces and the numbers of one proof."""

    def __init__(self) -> None:
        self._spaces: dict[tuple[int, ...], Space] = {}
        self._named: dict[str, Space] = {}
        self._cells: list[Sum] = [ZERO]

    def space(self, name: str) -> Space:
        """The space of this name."""
        if name not in self._named:
            space = Space(name, WIDTH + len(self._named))
            self._named[name] = self._spaces[space.sizes] = space
        return self._named[name]

    def write(self, spec: Spec, head: str, *arguments: Value) -> Any:
        """Arrays of a spec, each a term: `head(...)`, or `head.0(...)`, `head.1(...)` in a tuple."""
        if isinstance(spec, tuple):
            return tuple(self.write(part, f"{head}.{i}", *arguments) for i, part in enumerate(spec))
        return self._spaces[spec.shape].array(one(head, *arguments))

    def array(self, spec: Spec, value: Value) -> Any:
        """The arrays of a spec that stand for a value."""
        if isinstance(spec, tuple):
            assert isinstance(value, tuple)
            return tuple(self.array(part, inside) for part, inside in zip(spec, value, strict=True))
        assert isinstance(value, Sum)
        return self._spaces[spec.shape].array(value)

    def read(self, value: Any) -> Value:
        """What arrays, in tuples, stand for."""
        if isinstance(value, tuple):
            return tuple(self.read(part) for part in value)
        space = self._spaces.get(getattr(value, "shape", ()))
        if space is None:
            raise NoTermError(f"this is no array of any space of the proof: {value!r}")
        return space.value(value)

    # A number of a parameter is a cell: one float32 or uint16 that names a value.

    def cell(self, value: Sum) -> int:
        """The number that stands for a value in a flat array; 0 is zero."""
        if value not in self._cells:
            self._cells.append(value)
        return self._cells.index(value)

    def cells(self, numbers: Any) -> tuple[Sum, ...]:
        """The values that the numbers of a flat array stand for."""
        known = [float(number).is_integer() and 0 <= number < len(self._cells) for number in numbers]
        if not all(known):
            raise NoTermError(f"these are no numbers of parameters of the proof: {numbers!r}")
        return tuple(self._cells[int(number)] for number in numbers)
