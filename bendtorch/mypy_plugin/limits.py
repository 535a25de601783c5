"""The least that a size of a layer may be: 0 for a number of rows, 1 for others, as the layers themselves have it.

A size counts rows when it stands nowhere but in the first axis of the arrays that a layer takes, gives and saves.
"""

from __future__ import annotations

from typing import Final

from mypy.types import CallableType, Instance, LiteralType, TupleType, Type, TypeVarId, TypeVarType, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import is_layer, is_loss
from bendtorch.mypy_plugin.types import Through
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
