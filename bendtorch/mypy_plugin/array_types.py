"""Arrays as the hooks for numpy see them: the sizes of a type, and types made of sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from mypy.nodes import CallExpr, Expression, ListExpr, NameExpr, StarExpr, TupleExpr, TypeAlias, TypeInfo
from mypy.plugin import CheckerPluginInterface, FunctionContext, MethodContext
from mypy.types import (
    AnyType,
    Instance,
    LiteralType,
    ProperType,
    TupleType,
    Type,
    TypeOfAny,
    TypeVarType,
    UnpackType,
    get_proper_type,
)

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.sealing import ARRAY, any_rank, in_our_file, is_gradual, sealed, unknown_array
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import literal, named_in, poly_of, type_of
from bendtorch.mypy_plugin.vocabulary import BEND_SHAPE
from bendtorch.mypy_plugin.wording import SCALARS

if TYPE_CHECKING:
    from mypy.checker import TypeChecker

AnyCall = FunctionContext | MethodContext
CONTAINERS: Final = ("builtins.list", "builtins.tuple")
FLOATS: Final = {"float32", "float64"}
WIDE_INTEGERS: Final = {"int32", "int64", "intp"}
"""With a float32 array, one of these gives float64."""


@dataclass(frozen=True)
class Array:
    """The type of an array of known rank: its sizes, and the type of its numbers."""

    sizes: tuple[Type, ...]
    dtype: Type
    t: Instance

    @property
    def polys(self) -> list[Poly | None]:
        """The sizes as polynomials; None where one is only known to be an int."""
        return [poly_of(size) for size in self.sizes]

    @property
    def is_static(self) -> bool:
        """Whether some size is known."""
        return any(poly is not None for poly in self.polys)

    @property
    def count(self) -> Poly | None:
        """How many numbers there are."""
        total = Poly.number(1)
        for poly in self.polys:
            if poly is None:
                return None
            total *= poly
        return total


def array_of(t: Type | None) -> Array | None:
    """The array that a type stands for, if its rank is known."""
    t = get_proper_type(t)
    if not isinstance(t, Instance) or t.type.fullname != ARRAY or len(t.args) != 2:
        return None
    shape = get_proper_type(t.args[0])
    return Array(tuple(shape.items), t.args[1], t) if isinstance(shape, TupleType) else None


def scalar_name(dtype: Type) -> str:
    """`float32`, `int64`, ... for a dtype; whatever mypy calls it for one that is not known."""
    dtype = get_proper_type(dtype)
    text = show(dtype.args[0]) if isinstance(dtype, Instance) and dtype.args else "Any"
    return SCALARS.get(text, text)


class ArrayCall:
    """One call of a function or a method of numpy: its arguments by name, and ways to answer."""

    def __init__(self, name: str, context: AnyCall, reader: SizeReader, parameters: Sequence[str] = ()) -> None:
        self.name, self.context, self.reader, self.api = name, context, reader, context.api
        self.named = named_in(context.api)
        self.given: dict[str, Expression] = {}
        call = context.context
        if isinstance(call, CallExpr):
            for position, (argument, label) in enumerate(zip(call.args, call.arg_names, strict=True)):
                key = label or (parameters[position] if position < len(parameters) else str(position))
                self.given[key] = argument

    @property
    def default(self) -> Type:
        """What mypy makes of the call by itself."""
        return self.context.default_return_type

    @property
    def positional(self) -> list[Expression]:
        """The arguments that no parameter was named for, in order."""
        return [argument for label, argument in self.given.items() if label.isdigit()]

    @property
    def input_count(self) -> int | None:
        """How many arrays a ufunc takes, as the name of its class says; the next is where the result goes."""
        t = get_proper_type(self.context.type) if isinstance(self.context, MethodContext) else None
        found = re.search(r"_Nin(\d)", t.type.name) if isinstance(t, Instance) else None
        return int(found[1]) if found else None

    @property
    def has_two_results(self) -> bool:
        """Whether a ufunc gives two arrays, as `np.frexp` does."""
        t = get_proper_type(self.context.type) if isinstance(self.context, MethodContext) else None
        return isinstance(t, Instance) and t.type.name.endswith("_Nout2")

    @property
    def receiver(self) -> Array | None:
        """The array whose method is called."""
        return array_of(self.context.type) if isinstance(self.context, MethodContext) else None

    @property
    def operand(self) -> ProperType | None:
        """The type of the first argument: of the right side of an operator."""
        return get_proper_type(next((t for types in self.context.arg_types[:1] for t in types), None))

    def type_of(self, e: Expression | None) -> ProperType | None:
        """The type of an argument, or of something inside of one."""
        if e is None:
            return None
        for expressions, types in zip(self.context.args, self.context.arg_types, strict=True):
            if e in expressions:
                return get_proper_type(types[expressions.index(e)])
        known = cast("TypeChecker", self.api).lookup_type_or_none(e)
        return get_proper_type(known if known is not None else self.api.get_expression_type(e))

    def array(self, e: Expression | None) -> Array | None:
        """The array that an argument is."""
        return array_of(self.type_of(e))

    def size(self, e: Expression) -> Poly | None:
        """The size that an argument denotes."""
        return self.reader.size(e, self.api)

    def has(self, name: str) -> bool:
        """Whether an argument is given, and is not None."""
        e = self.given.get(name)
        return e is not None and not (isinstance(e, NameExpr) and e.name == "None")

    def size_type(self, poly: Poly | None) -> Type:
        """The type of a size; `int` for one that is not known."""
        return self.named("builtins.int", []) if poly is None else type_of(poly, self.named)

    def one(self) -> Type:
        """The size 1."""
        return literal(1, self.named)

    def make(self, sizes: Sequence[Type], dtype: Type) -> Type:
        """The type of an array; of a single number, mypy's own answer stands, unless it is an array of any shape."""
        if not sizes:
            number, default = get_proper_type(dtype), get_proper_type(self.default)
            is_array = isinstance(default, Instance) and default.type.fullname == ARRAY
            return number.args[0] if is_array and isinstance(number, Instance) and number.args else self.default
        fallback = self.named("builtins.tuple", [self.named("builtins.object", [])])
        return self.named(ARRAY, [TupleType(list(sizes), fallback), dtype])

    def own_dtype(self) -> Type:
        """The type of the numbers in mypy's own answer, `dtype[Any]` where it has none."""
        t = get_proper_type(self.default)
        is_array = isinstance(t, Instance) and t.type.fullname == ARRAY and len(t.args) == 2
        return t.args[1] if is_array and isinstance(t, Instance) else self.scalar_dtype("")

    def dtype_of(self, arrays: Sequence[Array]) -> Type:
        """The type of the numbers that numpy makes of those of several arrays."""
        names = {scalar_name(array.dtype) for array in arrays} - {"bool"}
        if len(names) == 1 and names <= FLOATS:
            return next(array.dtype for array in arrays if scalar_name(array.dtype) in names)
        return self.scalar_dtype("float64") if names and names <= FLOATS | WIDE_INTEGERS else self.own_dtype()

    def scalar_dtype(self, name: str) -> Type:
        """`dtype[...]` of a scalar type of numpy's, which is a class or an alias of one, as numpy's version has it."""
        symbol = cast("TypeChecker", self.api).modules["numpy"].names.get(name)
        node = symbol.node if symbol is not None else None
        scalar: Type = AnyType(TypeOfAny.special_form)
        if isinstance(node, TypeAlias):
            scalar = get_proper_type(node.target)
        elif isinstance(node, TypeInfo):
            scalar = Instance(node, [self.named("builtins.bool", [])] * len(node.defn.type_vars))  # only bool has any
        return self.named("numpy.dtype", [scalar])

    def fail(self, message: str) -> None:
        """Report shapes that do not fit."""
        name = "" if self.name.startswith("__") else f"{self.name}: "
        self.api.fail(name + message, self.context.context, code=BEND_SHAPE)

    def shape_in(self, e: Expression | None) -> list[Type] | None:
        """The sizes in a shape that is asked for: a number, a tuple of them, another array's `shape`."""
        return None if e is None else sizes_in(e, self.type_of(e), self.context, self.reader)

    def unshaped(self, dtype: Type) -> Type:
        """An array of any rank, which fits no `Mat`."""
        return self.named(ARRAY, [any_rank(self.named), dtype])

    def honest(self) -> Type:
        """mypy's own answer without a shape: an array of any rank, which fits no `Mat`."""
        if isinstance(get_proper_type(self.default), AnyType):
            return unknown_array(self.named)
        return sealed(self.default, self.api, trusted=False)

    def answered(self, answer: Type) -> Type:
        """The answer of a rule, which is mypy's own where the rule has none: nothing in it may fit any `Mat`."""
        has_rule = answer is not self.default
        expected, is_sized = expected_array(self.api), is_mat_expected(self.api)
        if isinstance(get_proper_type(answer), AnyType):
            return unknown_array(self.named) if is_sized else answer
        is_flat = expected is not None and not expected.is_static  # any size will do, as in `FlatF32`
        is_open = in_our_file(self.api) and not is_flat and not any(map(is_gradual, self._inputs))
        if is_sized or self._is_ours or is_open:
            return sealed(answer, self.api, trusted=has_rule)
        return answer

    def unanswered(self) -> Type:
        """Where there is no rule."""
        is_any = isinstance(get_proper_type(self.default), AnyType)
        return self.honest() if is_any and self._is_ours else self.answered(self.default)

    @property
    def _is_ours(self) -> bool:
        """Whether an array with sizes goes in."""
        return any(map(has_sizes, self._inputs))

    @property
    def _inputs(self) -> list[Type]:
        own = [self.context.type] if isinstance(self.context, MethodContext) else []
        return [*own, *(t for types in self.context.arg_types for t in types)]


def has_sizes(t: Type) -> bool:
    """Whether a type is an array with sizes, or a list or a tuple of some."""
    t, array = get_proper_type(t), array_of(t)
    if array is not None:
        return array.is_static
    parts = t.args if isinstance(t, Instance) and t.type.fullname in CONTAINERS else ()
    return any(map(has_sizes, t.items if isinstance(t, TupleType) else parts))


def expected_array(api: CheckerPluginInterface) -> Array | None:
    """The array that is expected of the expression at hand."""
    contexts = cast("TypeChecker", api).expr_checker.type_context
    return array_of(contexts[-1]) if contexts else None


def is_mat_expected(api: CheckerPluginInterface) -> bool:
    """Whether an array is expected all of whose sizes are known."""
    expected = expected_array(api)
    return expected is not None and None not in expected.polys


def sizes_in(e: Expression, t: Type | None, context: AnyCall, reader: SizeReader) -> list[Type] | None:
    """The sizes in a shape that is asked for, `int` for those that are not known; None if not even the rank is."""
    api, t = context.api, get_proper_type(t)
    if isinstance(e, (TupleExpr, ListExpr)) and not any(isinstance(item, StarExpr) for item in e.items):
        polys = [reader.size(item, api) for item in e.items]
    elif isinstance(t, TupleType):
        if any(isinstance(item, UnpackType) for item in t.items):
            return None
        polys = [poly_of(item) for item in t.items]
    elif t is not None and is_whole(t):
        polys = [reader.size(e, api)]
    else:
        return None
    named = named_in(api)
    return [named("builtins.int", []) if poly is None else type_of(poly, named) for poly in polys]


def is_whole(t: Type) -> bool:
    """Whether it is an int of Python's: a size, a number in the source, a variable bound to int."""
    t = get_proper_type(t)
    if isinstance(t, TypeVarType):
        t = get_proper_type(t.upper_bound)
    if isinstance(t, LiteralType):
        t = t.fallback
    return isinstance(t, Instance) and t.type.has_base("builtins.int")
