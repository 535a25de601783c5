"""Every error the package raises on purpose.

All are subclasses of `BendError`, and each also of the built-in error that a caller would expect, so that both
`except BendError` and `except ValueError` work. A message says what was expected, what came, where, and what to do.
"""

from __future__ import annotations


class BendError(Exception):
    """The base of every error of this package."""


class ShapeError(BendError, ValueError):
    """An array, or a layer, has other sizes than the place it is used in."""


class DtypeError(BendError, TypeError):
    """An array has another element type (or a value another type) than the place it is used in."""


class IndexRangeError(BendError, IndexError):
    """A label or id points outside of the table or the classes it indexes."""


class ConfigError(BendError, ValueError):
    """A configuration that contradicts itself or cannot be carried out."""


class NonFiniteError(BendError, ArithmeticError):
    """A loss that is no number or infinite: training cannot go on from it."""


class CheckpointError(BendError, ValueError):
    """A file that is not a complete, valid checkpoint of the model it is read into."""


class LawError(BendError, AssertionError):
    """A law of layers that a layer breaks."""
