"""What calls of the package's own functions say that run time would refuse, where numbers and types alone decide it.

`Dropout(4, 3, 1.5, 0)`, `Embedding(4, 10, 3, padding_id=10)`, `mat(3, 5, x)` of an x that is a `Mat[3, 4]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy.nodes import Expression, FloatExpr, ListExpr, RefExpr, StarExpr, TupleExpr, UnaryExpr, Var
from mypy.types import Instance, TupleType, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.fixed import first_size
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import size_variable
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import poly_of
from bendtorch.mypy_plugin.vocabulary import BEND_DIM, BEND_SHAPE


def check_options(call: Call, reader: SizeReader) -> None:
    """Refuse what the function itself would refuse."""
    check = CHECKS.get(call.signature.definition.fullname if call.signature.definition is not None else "")
    if check is not None:
        check(call, reader)


def _probability(call: Call, reader: SizeReader) -> None:
    e = _argument(call, "p")
    p = _number(e, call, reader)
    if p is not None and not 0 <= p <= 1:
        call.fail(f'"p" is {p}; give a probability, from 0 to 1', e, BEND_DIM)


def _padding_id(call: Call, reader: SizeReader) -> None:
    e, v = _argument(call, "padding_id"), _size(call, "v")
    row = _number(e, call, reader)
    if row is not None and v is not None and not 0 <= row < v:
        call.fail(f'"padding_id" is {row}; the rows of the table go from 0 to {v - 1}', e, BEND_DIM)


def _padding(call: Call, reader: SizeReader) -> None:
    e, k = _argument(call, "padding"), _size(call, "k")
    padding = _number(e, call, reader)
    if padding is not None and k is not None and 2 * padding > k:
        call.fail(f'"padding" is {padding}, the window {k}; take at most half of the window', e, BEND_DIM)


def _weight(call: Call, reader: SizeReader) -> None:
    e, c = _argument(call, "weight"), _size(call, "c")
    if e is None or c is None:
        return
    if isinstance(e, (ListExpr, TupleExpr)) and not any(isinstance(item, StarExpr) for item in e.items):
        count: Poly | None = Poly.number(len(e.items))
    else:
        count = first_size(call.api.get_expression_type(e))
    if count is not None and count.value not in (None, c):
        call.fail(f'"weight" has {count} numbers, one for each of c = {c} classes is wanted', e, BEND_SHAPE)


def _data(call: Call, reader: SizeReader) -> None:
    """The sizes of data that have one in its type; a size that is no number there is what the call states."""
    e = _argument(call, "data")
    t = get_proper_type(call.api.get_expression_type(e)) if e is not None else None
    if not isinstance(t, Instance) or t.type.fullname != "numpy.ndarray" or not t.args:
        return
    shape = get_proper_type(t.args[0])
    if not isinstance(shape, TupleType):
        return
    sizes = [poly.value if (poly := poly_of(item)) is not None else None for item in shape.items]
    stated = [_size(call, name) for name in ("n", "c") if name in call.signature.arg_names]
    if len(sizes) != len(stated) or any(None not in (a, b) and a != b for a, b in zip(sizes, stated, strict=True)):
        made = show(call.fill_in(call.signature.ret_type))
        call.fail(f'"data" is {show(t)}, which cannot be {made}', e, BEND_SHAPE)


CHECKS: Final[dict[str, Callable[[Call, SizeReader], None]]] = {
    "bendtorch.layers.dropout.Dropout": _probability,
    "bendtorch.layers.embedding.Embedding": _padding_id,
    "bendtorch.layers.max_pool2d.MaxPool2d": _padding,
    "bendtorch.layers.avg_pool2d.AvgPool2d": _padding,
    "bendtorch.losses.cross_entropy.CrossEntropy": _weight,
    "bendtorch.losses.nll.NLL": _weight,
    "bendtorch.shapes.make.mat": _data,
    "bendtorch.shapes.make.ids": _data,
}


def _argument(call: Call, name: str) -> Expression | None:
    names = call.signature.arg_names
    return call.argument(names.index(name)) if name in names else None


def _size(call: Call, name: str) -> int | None:
    """The number that a size parameter is, where it is one."""
    variable = size_variable(call.signature.arg_types[call.signature.arg_names.index(name)])
    found = call.found.get(variable.id) if variable is not None else None
    poly = poly_of(found) if found is not None else None
    return poly.value if poly is not None else None


def _number(e: Expression | None, call: Call, reader: SizeReader) -> float | None:
    """The number that an argument is, whole or not, where it is seen there or is a `Final`."""
    match e:
        case None:
            return None
        case FloatExpr():
            return e.value
        case UnaryExpr(op="-", expr=FloatExpr(value=value)):
            return -value
        case RefExpr(node=Var(is_final=True, final_value=float() as value)):
            return value
    size = reader.size(e, call.api)
    return None if size is None else size.value
