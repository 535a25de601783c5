"""`ops.rows(x, start, stop)`, `ops.columns`: bounds that are known to be out of order, or beyond the array.

Their result, `Mat["B-A", C]`, follows from the signature alone; that a bound is at most a size does not. What cannot
be known here (`k <= c` for a k of run time) is left to the operation's own check.
"""

from __future__ import annotations

from typing import Final

from mypy.plugin import FunctionContext

from bendtorch.mypy_plugin.array_types import array_of
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.poly import Poly, quotient_parts
from bendtorch.mypy_plugin.vocabulary import BEND_SHAPE

SLICES: Final = {"bendtorch.ops.parts.rows": 0, "bendtorch.ops.parts.columns": 1}
"""The operations, and the axis that each cuts."""


def check_bounds(fullname: str, context: FunctionContext, reader: SizeReader) -> None:
    """Report bounds that no array of this shape has."""
    if not all(len(given) == 1 for given in context.args):
        return  # mypy has said that one is missing
    array = array_of(context.arg_types[0][0])
    size = array.polys[SLICES[fullname]] if array is not None and len(array.sizes) == 2 else None
    start, stop = (reader.size(given[0], context.api) for given in context.args[1:])
    if start is None or stop is None or size is None:
        return
    if _is_negative(stop - start) or _is_negative(size - stop):
        name = fullname.rpartition(".")[2]
        wanted = f'{name}: start and stop must be in order between 0 and {size}, the {name} of "x"'
        context.api.fail(f"{wanted}, got {start} and {stop}", context.context, code=BEND_SHAPE)


def _is_negative(poly: Poly) -> bool:
    """Whether it is less than 0 whatever its sizes are, which are at least 0."""
    constant = any(not monomial for monomial, _ in poly.terms)
    quotients = any(quotient_parts(atom) for atom in poly.atoms)
    return constant and not quotients and all(factor < 0 for _, factor in poly.terms)
