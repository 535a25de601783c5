"""Arrays turned round and made of a shape: `.T`, `np.zeros((n, c), ...)`. numpy's types lose both shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from mypy.nodes import TupleExpr, TypeAlias, TypeInfo
from mypy.plugin import AttributeContext
from mypy.types import AnyType, FunctionLike, Instance, TupleType, Type, get_proper_type

from bendtorch.mypy_plugin.array_types import AnyCall
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.types import named_in, poly_of, type_of

if TYPE_CHECKING:
    from mypy.checker import TypeChecker

PYTHON_NUMBERS: Final = {"builtins.float": "float64", "builtins.int": "int64"}
TRANSPOSED: Final = "numpy._ArrayOrScalarCommon.T"
MAKE_EMPTY: Final = "numpy._core.multiarray._ConstructorEmpty.__call__"
MAKE_FULL: Final = "numpy._core.numeric.full"


def on_transposed(context: AttributeContext) -> Type:
    """`x.T`: numpy types it as `Self`; the shape turns round."""
    t = get_proper_type(context.default_attr_type)
    shape = get_proper_type(t.args[0]) if isinstance(t, Instance) and t.args else None
    if not isinstance(t, Instance) or not isinstance(shape, TupleType):
        return context.default_attr_type
    return _with_shape(t, shape, list(reversed(shape.items)))


def on_make(context: AnyCall, reader: SizeReader) -> Type:
    """`np.zeros`, `np.ones`, `np.empty`, `np.full` of a tuple of sizes: numpy forgets them."""
    t = get_proper_type(context.default_return_type)
    shape = get_proper_type(t.args[0]) if isinstance(t, Instance) and t.args else None
    if not isinstance(t, Instance) or not isinstance(shape, TupleType) or not context.args or not context.args[0]:
        return context.default_return_type
    polys, named = _sizes_of(context, reader), named_in(context.api)
    if len(polys) != len(shape.items):
        return context.default_return_type
    if len(polys) == 1 and polys[0] is not None and polys[0].value is None:
        polys = [None]  # a buffer of a length known at run time is a plain `FlatF32`
    items = [old if poly is None else type_of(poly, named) for poly, old in zip(polys, shape.items, strict=True)]
    made = _with_shape(t, shape, items)
    return made if _has_scalar(made) else _with_scalar(made, context)


def _sizes_of(context: AnyCall, reader: SizeReader) -> list[Poly | None]:
    """The sizes in the shape that is asked for: a number, a tuple of them, or another array's `shape`."""
    given, t = context.args[0][0], get_proper_type(context.arg_types[0][0])
    if isinstance(given, TupleExpr):
        return [reader.size(size, context.api) for size in given.items]
    return [poly_of(item) for item in t.items] if isinstance(t, TupleType) else [reader.size(given, context.api)]


def _has_scalar(t: Instance) -> bool:
    dtype = get_proper_type(t.args[1])
    return isinstance(dtype, Instance) and not any(isinstance(get_proper_type(a), AnyType) for a in dtype.args)


def _with_scalar(t: Instance, context: AnyCall) -> Type:
    """The array with the scalar type that was asked for.

    Where another one is expected, mypy falls back on numpy's last overload, which says Any and would hide the mistake.
    """
    names = context.callee_arg_names
    given = context.arg_types[names.index("dtype")] if "dtype" in names else []
    if not given and "fill_value" in names:
        return t  # the value's own type
    scalar = scalar_of(get_proper_type(given[0]), context) if given else _numpy_scalar("float64", context)
    return t if scalar is None else t.copy_modified(args=[t.args[0], named_in(context.api)("numpy.dtype", [scalar])])


def scalar_of(asked: Type, context: AnyCall) -> Type | None:
    """The scalar type that a dtype argument stands for, if it is a class: `np.float32`, `float`, `int`."""
    made = get_proper_type(asked.items[0].ret_type) if isinstance(asked, FunctionLike) and asked.is_type_obj() else None
    if not isinstance(made, Instance):
        return None
    if made.type.fullname in PYTHON_NUMBERS:
        return _numpy_scalar(PYTHON_NUMBERS[made.type.fullname], context)
    return made if made.type.has_base("numpy.generic") else None


def _numpy_scalar(name: str, context: AnyCall) -> Type | None:
    """A scalar type of numpy by its name, which is a class or an alias of one, as numpy's version has it."""
    symbol = cast("TypeChecker", context.api).modules["numpy"].names.get(name)
    node = symbol.node if symbol is not None else None
    if isinstance(node, TypeAlias):
        return get_proper_type(node.target)
    return Instance(node, []) if isinstance(node, TypeInfo) else None


def _with_shape(t: Instance, shape: TupleType, sizes: list[Type]) -> Instance:
    return t.copy_modified(args=[shape.copy_modified(items=sizes), *t.args[1:]])
