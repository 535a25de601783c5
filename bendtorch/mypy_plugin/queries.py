"""Questions about types: is it a layer, a dimension, does an array stand in it?"""

from __future__ import annotations

from mypy.nodes import Expression, NameExpr
from mypy.types import (
    CallableType,
    Instance,
    NoneType,
    TupleType,
    Type,
    TypeAliasType,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from bendtorch.mypy_plugin.types import OPERATORS, Through, is_int_class, is_of_any_int
from bendtorch.mypy_plugin.vocabulary import LAYER, LOSS, PACKAGE, SIZE_PARAMETER


class _Mentions(Through):
    """Looks for a type of the package, or a numpy array."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_instance(self, t: Instance) -> Type:
        """Stops at the first find."""
        if t.type.fullname.startswith(PACKAGE) or t.type.fullname == "numpy.ndarray":
            self.found = True
            return t
        return super().visit_instance(t)


def mentions_ours(t: Type) -> bool:
    """Whether a type of the package, or a numpy array, occurs in a type."""
    search = _Mentions()
    t.accept(search)
    return search.found


class _BareInt(Through):
    """Looks for an array shape with a size that is only known to be an int."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_tuple_type(self, t: TupleType) -> Type:
        """The shape of an array is a tuple of sizes."""
        self.found = self.found or any(map(is_of_any_int, t.items))
        return t if self.found else super().visit_tuple_type(t)


def has_bare_int(t: Type) -> bool:
    """Whether some shape in a type has a size that is only known to be an int."""
    search = _BareInt()
    t.accept(search)
    return search.found


class _Variable(Through):
    """Looks for a type variable."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_type_var(self, t: TypeVarType) -> Type:
        """One is found."""
        self.found = True
        return t


def has_type_variable(t: Type) -> bool:
    """Whether a type variable occurs in a type."""
    search = _Variable()
    t.accept(search)
    return search.found


def is_dimension(t: Type) -> bool:
    """Whether it is a type variable bound to int."""
    t = get_proper_type(t)
    if not isinstance(t, TypeVarType):
        return False
    bound = get_proper_type(t.upper_bound)
    return isinstance(bound, Instance) and bound.type.fullname == "builtins.int"


def is_arithmetic(t: Type) -> bool:
    """Whether it is a sum, a product or a quotient of sizes."""
    t = get_proper_type(t)
    return isinstance(t, Instance) and t.type.fullname in OPERATORS


def is_int(t: Type) -> bool:
    """Whether it is `int` itself, or a class of ints, whose values differ."""
    t = get_proper_type(t)
    return isinstance(t, Instance) and is_int_class(t.type)


def is_tuple_of_ints(t: Type) -> bool:
    """Whether it is a tuple whose items are ints, a known number of them or any."""
    t = get_proper_type(t)
    if isinstance(t, TupleType):
        return bool(t.items) and all(map(is_int, t.items))
    return isinstance(t, Instance) and t.type.fullname == "builtins.tuple" and all(map(is_int, t.args))


def is_size_parameter(t: Type) -> bool:
    """Whether it is declared `Dim[...]`."""
    return isinstance(t, TypeAliasType) and t.alias is not None and t.alias.fullname == SIZE_PARAMETER


def size_variable(t: Type) -> TypeVarType | None:
    """The dimension variable of a size parameter: of `Dim[N]`, and of `Dim[N] | None`, which may be left out."""
    t = get_proper_type(t)
    if isinstance(t, UnionType):
        some = [part for part in map(get_proper_type, t.items) if not isinstance(part, NoneType)]
        t = some[0] if len(some) == 1 else t
    return t if isinstance(t, TypeVarType) and is_dimension(t) else None


def has_sizes(s: CallableType) -> bool:
    """Whether sizes matter in calls of a function: it takes layers, or has dimension variables and arrays of ours."""
    if any(is_layer(t) or is_layer_maker(t) for t in s.arg_types):
        return True
    dimensions = [v for v in s.variables if is_dimension(v)]
    if not dimensions:
        return False
    if any(v.fullname.startswith(PACKAGE) for v in dimensions) or any(map(is_size_parameter, s.arg_types)):
        return True
    return mentions_ours(s.ret_type) or any(mentions_ours(get_proper_type(t)) for t in s.arg_types)


def is_none(e: Expression) -> bool:
    """Whether an expression is None itself."""
    return isinstance(e, NameExpr) and e.fullname == "builtins.None"


def is_layer(t: Type) -> bool:
    """Whether it is a `Layer[P, X, Y, S]`."""
    t = get_proper_type(t)
    return isinstance(t, Instance) and t.type.fullname == LAYER and len(t.args) == 4


def is_loss(t: Type) -> bool:
    """Whether it is a `Loss[Y, Target]`."""
    t = get_proper_type(t)
    return isinstance(t, Instance) and t.type.fullname == LOSS


def is_maker(t: Type) -> bool:
    """Whether it is a type of functions that make layers or losses: `Callable[[int], Layer[P, X, Y, S]]`."""
    t = get_proper_type(t)
    made = get_proper_type(t.ret_type) if isinstance(t, CallableType) else None
    return isinstance(made, Instance) and made.type.fullname in (LAYER, LOSS)


def is_layer_maker(t: Type) -> bool:
    """Whether it is a type of functions that make layers."""
    t = get_proper_type(t)
    return isinstance(t, CallableType) and is_layer(t.ret_type)
