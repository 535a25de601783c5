"""Results of numpy's without a shape: none of them may fit a `Mat`.

To numpy's types, an array of a shape that is not known has `Any` in its place, and `Any` fits every `Mat`. Elsewhere
the result has the type of an argument, whether its shape is the same or not: `np.diff(x)` would be what `x` is. Both
become an array of any rank, which fits no `Mat`, also inside of lists and tuples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from mypy.nodes import Import, ImportAll, ImportBase, ImportFrom
from mypy.plugin import CheckerPluginInterface
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    Overloaded,
    TupleType,
    Type,
    TypeOfAny,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from bendtorch.mypy_plugin.queries import is_int
from bendtorch.mypy_plugin.types import Named, Through, named_in, poly_of

if TYPE_CHECKING:
    from mypy.checker import TypeChecker

ARRAY: Final = "numpy.ndarray"
MAX_DEPTH: Final = 5
"""Nested sequences are recursive types in numpy's own."""
APART: Final = "bendtorch-apart"


class _Sealed(Through):
    """Every array of unknown shape, as one of any rank. Without `trusted`, a shape says no more than its rank."""

    def __init__(self, named: Named, *, trusted: bool) -> None:
        super().__init__()
        self.named, self.trusted = named, trusted

    def visit_instance(self, t: Instance) -> Type:
        """Also a masked array, and whatever else is an array."""
        if t.type.fullname == ARRAY or t.type.has_base(ARRAY):
            return t if not t.args or self._is_known(t.args[0]) else t.copy_modified(args=self._open(t))
        return super().visit_instance(t)

    def visit_callable_type(self, t: CallableType) -> Type:
        """What a function takes is not a result."""
        return t

    def visit_overloaded(self, t: Overloaded) -> Type:
        """The same."""
        return t

    def _is_known(self, shape: Type) -> bool:
        shape = get_proper_type(shape)
        if not isinstance(shape, TupleType):
            return isinstance(shape, Instance) and not isinstance(get_proper_type((*shape.args, shape)[0]), AnyType)
        if self.trusted:
            return not any(isinstance(get_proper_type(size), AnyType) for size in shape.items)
        return all(is_int(size) and poly_of(size) is None for size in shape.items)

    def _open(self, t: Instance) -> list[Type]:
        return [any_rank(self.named), *t.args[1:]]


def any_rank(named: Named) -> Instance:
    """The shape of an array of which nothing is known."""
    return named("builtins.tuple", [named("builtins.int", [])])


def apart(signature: CallableType, named: Named) -> CallableType:
    """A signature whose result is packed where it is a type variable: what is expected must not reach the arguments.

    `np.moveaxis(x, 0, 1)` is to be worked out from `x`, whatever the function is declared to return.
    """
    if not isinstance(signature.ret_type, TypeVarType):
        return signature
    mark = LiteralType(APART, named("builtins.str", []))
    fallback = named("builtins.tuple", [named("builtins.object", [])])
    return signature.copy_modified(ret_type=TupleType([mark, signature.ret_type], fallback))


def together(t: Type) -> Type:
    """What has been packed by `apart`."""
    packed = get_proper_type(t)
    mark = get_proper_type(packed.items[0]) if isinstance(packed, TupleType) and len(packed.items) == 2 else None
    is_packed = isinstance(mark, LiteralType) and mark.value == APART
    return packed.items[1] if is_packed and isinstance(packed, TupleType) else t


def sealed(t: Type, api: CheckerPluginInterface, *, trusted: bool = True) -> Type:
    """A type with every shape in it that is not known made one that fits no `Mat`."""
    return t.accept(_Sealed(named_in(api), trusted=trusted)) if mentions_array(t) else t


def unknown_array(named: Named) -> Instance:
    """An array of which nothing is known."""
    return named(ARRAY, [any_rank(named), named("numpy.dtype", [AnyType(TypeOfAny.special_form)])])


def mentions_array(t: Type, depth: int = 0) -> bool:
    """Whether an array is a type or an item of it, of a list or a tuple perhaps."""
    t = get_proper_type(t)
    if isinstance(t, Instance) and (t.type.fullname == ARRAY or t.type.has_base(ARRAY)):
        return True
    parts = t.args if isinstance(t, Instance) else t.items if isinstance(t, (TupleType, UnionType)) else ()
    return depth < MAX_DEPTH and any(mentions_array(part, depth + 1) for part in parts)


def is_gradual(t: Type) -> bool:
    """Whether a type is `Any`, or an array whose shape is: what is made of such a one is gradual as well.

    Only where a `Mat` is expected of the very call, or a sized array goes in too, must its shape be known.
    """
    t = get_proper_type(t)
    if not isinstance(t, Instance) or not (t.type.fullname == ARRAY or t.type.has_base(ARRAY)):
        return isinstance(t, AnyType)
    shape = get_proper_type(t.args[0]) if t.args else t
    parts = shape.args if isinstance(shape, Instance) else shape.items if isinstance(shape, TupleType) else (shape,)
    return any(isinstance(get_proper_type(part), AnyType) for part in parts)


def in_our_file(api: CheckerPluginInterface) -> bool:
    """Whether the file at hand uses the package: numpy's arrays may become a `Mat` there."""
    return any(
        name.startswith("bendtorch") for node in cast("TypeChecker", api).tree.imports for name in imported(node)
    )


def imported(node: ImportBase) -> list[str]:
    """The modules that an import statement names."""
    if isinstance(node, Import):
        return [name for name, _ in node.ids]
    return [node.id] if isinstance(node, (ImportFrom, ImportAll)) else []
