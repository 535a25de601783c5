"""mypy's types as a user writes them: `Mat[64, 784]`, `Lin[64, 10]`, `tuple[Unit, Mat[N, 4*D]]`."""

from __future__ import annotations

from mypy.types import AnyType, Instance, TupleType, Type, TypeVarType, UnionType, get_proper_type

from bendtorch.mypy_plugin.types import open_poly_of
from bendtorch.mypy_plugin.wording import array_in_words, in_words


def show(t: Type) -> str:
    """One type in the user's words."""
    t = get_proper_type(t)
    if isinstance(t, TypeVarType):
        return t.name
    poly = open_poly_of(t)
    if poly is not None:
        return str(poly)
    if isinstance(t, AnyType):
        return "Any"
    if isinstance(t, TupleType):
        return f"tuple[{', '.join(map(show, t.items))}]" if t.items else "Unit"
    if isinstance(t, UnionType):
        return " | ".join(map(show, t.items))
    if isinstance(t, Instance):
        return _show_instance(t)
    return in_words(str(t))


def _show_instance(t: Instance) -> str:
    if t.type.fullname == "numpy.ndarray" and len(t.args) == 2:
        shape = get_proper_type(t.args[0])
        sizes = [show(size) for size in shape.items] if isinstance(shape, TupleType) else None
        return array_in_words(sizes, _scalar(t.args[1]))
    return t.type.name + (f"[{', '.join(map(show, t.args))}]" if t.args else "")


def _scalar(dtype: Type) -> str:
    """The scalar type in `dtype[...]`, as text."""
    dtype = get_proper_type(dtype)
    return show(dtype.args[0]) if isinstance(dtype, Instance) and dtype.args else "Any"
