"""The least that a size of a layer may be: 0 for a number of rows, 1 for others, as the layers themselves have it.

A size counts rows when it stands nowhere but in the first axis of the arrays that a layer takes, gives and saves. What
a layer works out, such as the places of a window in an image, is a size too: also as a factor of one, for -4 times -4
are no 16 columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.types import CallableType, Instance, LiteralType, TupleType, Type, TypeVarId, TypeVarType, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.formula import factors_of, with_values
from bendtorch.mypy_plugin.poly import Atom, Poly, quotient_parts
from bendtorch.mypy_plugin.queries import is_layer, is_loss, size_variable
from bendtorch.mypy_plugin.types import Through, poly_of
from bendtorch.mypy_plugin.vocabulary import BEND_DIM, PACKAGE

COUNTS: Final = {"bendtorch.combine.repeat.Repeat": "k", "bendtorch.train.batches.batches": "size"}
"""Functions of the package with a parameter that is no size of an array and must be at least 1."""


def check_count(call: Call, reader: SizeReader) -> None:
    """`Repeat(0, layer)`: refuse a number that the function would refuse."""
    name = COUNTS.get(_full_name(call.signature))
    if name is None:
        return
    argument = call.argument(call.signature.arg_names.index(name))
    count = reader.size(argument, call.api) if argument is not None else None
    if count is not None and is_below_one(count):
        call.fail(f'"{name}" is {count}; give at least 1', argument, BEND_DIM)


def fault_of(call: Call, variable: TypeVarType, size: Poly) -> str | None:
    """What is wrong with a size by itself."""
    if size.value is not None and size.value < 0:
        return "a size is not negative"
    is_ours = _full_name(call.signature).startswith(PACKAGE)
    if is_ours and is_below_one(size) and not _is_rows(call.signature, variable) and not _is_none(variable):
        return "give at least 1, only the number of rows may be 0"
    return None


def check_results(call: Call) -> None:
    """Refuse a call whose layer would have a size that no layer can have, worked out of sizes that it may have."""
    made = get_proper_type(call.signature.ret_type)
    if not isinstance(made, Instance) or not is_layer(made):
        return
    least = 1 if _full_name(call.signature).startswith(PACKAGE) else 0
    values = {poly: value for v in call.dimensions if (poly := _atom(v)) and (value := _value(call, v)) is not None}
    names = _names(call)
    for factor in _worked_out(made, list(names)):
        size = with_values(factor, values)
        if size is not None and is_below_one(size) and not (size.value == 0 and least == 0):
            call.fail(f"{factor.show(names)} is {size}; such a size must be at least {least}", None, BEND_DIM)
            return


def _worked_out(made: Instance, order: Sequence[Atom]) -> list[Poly]:
    """The factors with a sum or a quotient in them, of all sizes that are no numbers of rows; by their parameters."""
    columns = _Columns()
    for slot in made.args:
        slot.accept(columns)
    factors = [factor for size in columns.found for factor in factors_of(size)]
    found = [factor for factor in factors if len(factor.terms) > 1 or any(map(quotient_parts, factor.atoms))]
    return sorted(found, key=lambda factor: min((order.index(a) for a in factor.all_atoms if a in order), default=0))


def _atom(variable: TypeVarType) -> Atom | None:
    poly = poly_of(variable)
    return next(iter(poly.atoms), None) if poly is not None else None


def _value(call: Call, variable: TypeVarType) -> Poly | None:
    return poly_of(call.found[variable.id]) if variable.id in call.found else None


def _names(call: Call) -> dict[Atom, str]:
    """The parameters' names, those that the call leaves out too."""
    pairs = zip(map(size_variable, call.signature.arg_types), call.signature.arg_names, strict=True)
    return {atom: name for v, name in pairs if v is not None and name and (atom := _atom(v)) is not None}


def _is_none(variable: TypeVarType) -> bool:
    """Whether a size is 0 where nothing else is said (a padding)."""
    usual = get_proper_type(variable.default)
    return isinstance(usual, LiteralType) and usual.value == 0


def is_below_one(size: Poly) -> bool:
    """Whether a size is less than 1 whatever the sizes in it are, which are at least 0 themselves."""
    return all(factor < 0 for _, factor in size.terms)


def _full_name(signature: CallableType) -> str:
    return signature.definition.fullname if signature.definition is not None else ""


def _is_rows(signature: CallableType, variable: TypeVarType) -> bool:
    """Whether a size of what a function makes counts rows; so does every size of what is neither layer nor loss."""
    made = get_proper_type(signature.ret_type)
    if not isinstance(made, Instance) or not (is_layer(made) or is_loss(made)):
        return True
    search = _BesidesRows(variable.id)
    for number, part in enumerate(made.args):
        search.in_rows = False
        search.counts_rows = not (is_layer(made) and number == 0)  # parameters are no rows of data
        part.accept(search)
    return not search.found


class _Columns(Through):
    """Collects the sizes of arrays behind their first axis."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Poly] = []

    def visit_tuple_type(self, t: TupleType) -> Type:
        """A shape, or a nest of arrays."""
        polys = [poly_of(item) for item in t.items]
        self.found += [poly for poly in polys[1:] if poly is not None]
        return super().visit_tuple_type(t)


class _BesidesRows(Through):
    """Looks for a variable in other places than the first axis of an array."""

    def __init__(self, variable: TypeVarId) -> None:
        super().__init__()
        self.variable, self.found = variable, False
        self.counts_rows = self.in_rows = False

    def visit_type_var(self, t: TypeVarType) -> Type:
        """The variable itself."""
        self.found = self.found or (t.id == self.variable and not self.in_rows)
        return t

    def visit_instance(self, t: Instance) -> Type:
        """An array's first axis."""
        shape = get_proper_type(t.args[0]) if t.type.fullname == "numpy.ndarray" and t.args else None
        if not isinstance(shape, TupleType) or not self.counts_rows:
            return super().visit_instance(t)
        for axis, size in enumerate(shape.items):
            self.in_rows = axis == 0
            size.accept(self)
        self.in_rows = False
        return t
