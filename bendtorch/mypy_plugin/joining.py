"""Arrays put together: `np.concatenate` and its relatives, `np.dot`, `np.matmul`, `np.einsum`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.nodes import ListExpr, StrExpr, TupleExpr
from mypy.types import AnyType, Type

from bendtorch.mypy_plugin.array_types import Array, ArrayCall, array_of
from bendtorch.mypy_plugin.fitting import into_out
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.reductions import number
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import same
from bendtorch.mypy_plugin.wording import ordinal

STACKS: Final = {"vstack": 0, "hstack": 1}


def on_concatenate(call: ArrayCall) -> Type:
    """`np.concatenate([x, y], axis=1)`, `np.hstack`, `np.vstack`, `np.stack`."""
    arrays = _arrays(call)
    if arrays is None:
        return call.default
    rank = len(arrays[0].sizes)
    axis = STACKS.get(call.name, number(call.given["axis"]) if "axis" in call.given else 0)
    if axis is None or (call.name in STACKS and rank != 2):
        return call.honest()
    inner = rank + (call.name == "stack")
    axis += inner if axis < 0 else 0
    if not 0 <= axis < inner or any(len(array.sizes) != rank for array in arrays):
        texts = ", ".join(show(array.t) for array in arrays)
        call.fail(f"{texts} cannot be joined along axis {axis}; the last is {inner - 1}")
        return call.honest()
    is_stack = call.name == "stack"
    for array in arrays[1:]:
        pairs = enumerate(zip(arrays[0].sizes, array.sizes, strict=True))
        if not all(same(one, other) or (place == axis and not is_stack) for place, (one, other) in pairs):
            why = "" if is_stack else _other_axis(arrays[0], array)
            call.fail(f"{show(arrays[0].t)} and {show(array.t)} differ beside axis {axis}{why}")
            return call.honest()
    sizes = list(arrays[0].sizes)
    if is_stack:
        sizes.insert(axis, call.size_type(Poly.number(len(arrays))))
    else:
        sizes[axis] = _sum(call, [array.polys[axis] for array in arrays])
    return into_out(call, call.make(sizes, call.own_dtype() if call.has("dtype") else call.dtype_of(arrays)))


def _other_axis(one: Array, other: Array) -> str:
    """Along which axis two arrays could be joined."""
    differing = [axis for axis, pair in enumerate(zip(one.sizes, other.sizes, strict=True)) if not same(*pair)]
    return f"; axis {differing[0]} would do" if len(differing) == 1 else ""


def _arrays(call: ArrayCall) -> list[Array] | None:
    """The arrays in the list or the tuple that is given."""
    given = call.given.get("arrays")
    if not isinstance(given, (ListExpr, TupleExpr)) or not given.items:
        return None
    arrays = [call.array(item) for item in given.items]
    return None if None in arrays else [array for array in arrays if array is not None]


def _sum(call: ArrayCall, polys: Sequence[Poly | None]) -> Type:
    total = Poly.number(0)
    for poly in polys:
        if poly is None:
            return call.size_type(None)
        total += poly
    return call.size_type(total)


def on_product(call: ArrayCall) -> Type:
    """`a @ b`, `np.matmul(a, b)`, `np.dot(a, b)`, `a.dot(b)`, of matrices and vectors."""
    left: Array | None
    right: Array | None
    if call.receiver is not None:
        left, right = call.receiver, array_of(call.operand)
    else:
        parts = [e for label, e in call.given.items() if label != "out"]
        if len(parts) == 3 and call.input_count == 2:
            call.given["out"] = parts.pop()
        arrays = [call.array(part) for part in parts]
        if len(arrays) != 2:
            return call.default
        left, right = arrays[0], arrays[1]
    if left is None or right is None:
        is_open = (left is None and right is None) or isinstance(call.operand, AnyType)
        return call.default if is_open else call.honest()
    if call.name == "__rmatmul__":
        left, right = right, left
    return _product(call, left, right)


def _product(call: ArrayCall, left: Array, right: Array) -> Type:
    if not 1 <= len(left.sizes) <= 2 or not 1 <= len(right.sizes) <= 2:
        return call.honest()
    inner, other = left.sizes[-1], right.sizes[0]
    if not same(inner, other):
        call.name = "@" if call.name.startswith("__") else call.name
        why = _turning(left, right)
        call.fail(f"{show(left.t)} @ {show(right.t)}: inner sizes {show(inner)} and {show(other)} differ{why}")
    return into_out(call, call.make([*left.sizes[:-1], *right.sizes[1:]], call.dtype_of([left, right])))


def _turning(left: Array, right: Array) -> str:
    """Which side would fit if it were turned round."""
    if len(right.sizes) == 2 and same(left.sizes[-1], right.sizes[1]):
        return "; the right side turned round with .T fits"
    if len(left.sizes) == 2 and same(left.sizes[0], right.sizes[0]):
        return "; the left side turned round with .T fits"
    return ""


def on_einsum(call: ArrayCall) -> Type:
    """`np.einsum("ni,no->io", x, dy)`, where the subscripts stand in the source."""
    subscripts, operands = call.positional[:1], call.positional[1:]
    arrays = [call.array(operand) for operand in operands]
    if not subscripts or not isinstance(subscripts[0], StrExpr) or None in arrays or not arrays:
        return call.honest() if any(array is not None for array in arrays) else call.default
    inputs, arrow, output = subscripts[0].value.replace(" ", "").partition("->")
    terms = inputs.split(",")
    known = [array for array in arrays if array is not None]
    if "." in inputs:
        return call.honest()
    if [len(term) for term in terms] != [len(array.sizes) for array in known]:
        call.fail(f'"{subscripts[0].value}" does not name the axes of {", ".join(show(array.t) for array in known)}')
        return call.honest()
    sizes = _letters(call, terms, known)
    if sizes is None:
        return call.honest()
    letters = output if arrow else "".join(sorted(c for c in set(inputs) - {","} if inputs.count(c) == 1))
    if not set(letters) <= set(sizes):
        call.fail(f'"{subscripts[0].value}" gives an axis that no operand has')
        return call.honest()
    return into_out(call, call.make([sizes[letter] for letter in letters], call.dtype_of(known)))


def _letters(call: ArrayCall, terms: Sequence[str], arrays: Sequence[Array]) -> dict[str, Type] | None:
    """The size of each letter; None when two are given one letter and differ."""
    sizes: dict[str, Type] = {}
    for place, (term, array) in enumerate(zip(terms, arrays, strict=True)):
        for letter, size in zip(term, array.sizes, strict=True):
            if not same(sizes.setdefault(letter, size), size):
                which = f"the {ordinal(place)} array"
                call.fail(f"{letter} is {show(sizes[letter])}, but {show(size)} in {which}, {show(array.t)}")
                return None
    return sizes
