"""Arrays turned round and made of a shape: `.T`, `np.zeros((n, c), ...)`. numpy's types lose both shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from mypy.nodes import MemberExpr, TypeAlias, TypeInfo
from mypy.plugin import AttributeContext
from mypy.types import AnyType, FunctionLike, Instance, TupleType, Type, get_proper_type

from bendtorch.mypy_plugin.array_types import AnyCall, is_mat_expected, sizes_in
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.sealing import any_rank, is_gradual
from bendtorch.mypy_plugin.types import named_in, poly_of

if TYPE_CHECKING:
    from mypy.checker import TypeChecker

PYTHON_NUMBERS: Final = {"builtins.float": "float64", "builtins.int": "int64"}
TRANSPOSED: Final = frozenset({"numpy._ArrayOrScalarCommon.T", "numpy._ArrayOrScalarCommon.mT"})
MAKE_EMPTY: Final = "numpy._core.multiarray._ConstructorEmpty.__call__"
MAKERS: Final = frozenset({"numpy._core.numeric.full", "numpy.ndarray"})


def on_transposed(context: AttributeContext) -> Type:
    """`x.T`, `x.mT`: numpy types it as `Self`; the shape turns round."""
    t = get_proper_type(context.default_attr_type)
    shape = get_proper_type(t.args[0]) if isinstance(t, Instance) and t.args else None
    if not isinstance(t, Instance) or not isinstance(shape, TupleType):
        return context.default_attr_type
    turned = list(reversed(shape.items))
    if isinstance(context.context, MemberExpr) and context.context.name == "mT":
        turned = [*shape.items[:-2], *turned[:2]]
    return _with_shape(t, shape, turned)


def on_make(context: AnyCall, reader: SizeReader) -> Type:
    """`np.zeros`, `np.ones`, `np.empty`, `np.full`, `np.ndarray` of a shape: numpy forgets its sizes.

    The shape is read from the arguments alone: mypy's own answer may have it from what is expected of the call.
    """
    t, named = get_proper_type(context.default_return_type), named_in(context.api)
    if not isinstance(t, Instance) or not t.args or not context.args or not context.args[0]:
        return context.default_return_type
    sizes = sizes_in(context.args[0][0], context.arg_types[0][0], context, reader)
    if sizes is None:
        if is_gradual(context.arg_types[0][0]) and not is_mat_expected(context.api):
            return context.default_return_type
        made = t.copy_modified(args=[any_rank(named), *t.args[1:]])
    else:
        if len(sizes) == 1 and not isinstance(poly_value(sizes[0]), int):
            sizes = [named("builtins.int", [])]  # a buffer of a length known at run time is a plain `FlatF32`
        fallback = named("builtins.tuple", [named("builtins.object", [])])
        made = t.copy_modified(args=[TupleType(sizes, fallback), *t.args[1:]])
    return made if _has_scalar(made) else _with_scalar(made, context)


def poly_value(size: Type) -> int | None:
    """The number that a size is, if it is one."""
    poly = poly_of(size)
    return None if poly is None else poly.value


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
