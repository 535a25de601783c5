"""Giving repeated type variables names of their own, so that inference never fails on a mismatch. See `seams`."""

from __future__ import annotations

from mypy.nodes import CallExpr, Expression, FloatExpr, IntExpr, LambdaExpr, MemberExpr, NameExpr, OpExpr, StrExpr
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    TupleType,
    Type,
    TypeVarId,
    TypeVarType,
    get_proper_type,
)

from bendtorch.mypy_plugin.array_types import array_of
from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.messages import SLOTS
from bendtorch.mypy_plugin.queries import is_dimension, is_layer, is_layer_maker, is_maker
from bendtorch.mypy_plugin.seams import NO_SOURCE, Seam, pack
from bendtorch.mypy_plugin.types import OPERATORS, Through, has_arithmetic
from bendtorch.mypy_plugin.wording import ordinal


class Renamer:
    """The signature of one call, with repeated type variables and arithmetic renamed apart."""

    def __init__(self, call: Call, bound: set[int]) -> None:
        self.call, self.bound = call, bound
        self.layers = [i for i, t in enumerate(call.signature.arg_types) if is_layer(t) or is_layer_maker(t)]
        self.free = {v.id for v in call.signature.variables if isinstance(v, TypeVarType) and self._may_differ(v)}
        self.seen: dict[TypeVarId, int] = dict.fromkeys(call.found, NO_SOURCE)
        self.seams: list[Seam] = []
        self.fresh: list[TypeVarType] = []
        self.packed: list[Type] = []

    def _may_differ(self, variable: TypeVarType) -> bool:
        return bool(self.layers) or is_dimension(variable)

    def signature(self) -> CallableType:
        """The new signature; its result is a pack where something has to be compared."""
        call, s = self.call, self.call.signature
        arg_types = [self._parameter(index, t) for index, t in enumerate(s.arg_types)]
        packs = bool(self.fresh) or (bool(self.seams) and array_of(s.ret_type) is not None)
        if not packs and not call.found:
            return s
        result: Type = call.fill_in(s.ret_type)
        if (
            packs
        ):  # also an array without anything to compare: what is expected of the call must not reach its arguments
            result = pack(call.name, self.seams, result, self.packed, call.named)
        variables = [*(v for v in s.variables if v.id not in call.found), *self.fresh]
        return s.copy_modified(arg_types=arg_types, ret_type=result, variables=variables)

    def _parameter(self, index: int, t: Type) -> Type:
        if index in self.bound:
            return self.call.named("builtins.int", [])  # its value has been read: any int will do
        proper, argument = get_proper_type(t), self.call.argument(index)
        if argument is None or isinstance(proper, AnyType):
            return self.call.fill_in(t)
        if isinstance(proper, CallableType) and is_maker(proper):
            return self.call.fill_in(proper.copy_modified(ret_type=self._value(index, proper.ret_type, "gives")))
        if self._needs_context(proper, argument):
            return self.call.fill_in(t)
        return self.call.fill_in(self._value(index, t, "is"))

    def _value(self, index: int, t: Type, verb: str) -> Type:
        """An argument, or what an argument makes: a layer part by part, anything else as a whole."""
        layer = get_proper_type(t)
        if index not in self.layers or not isinstance(layer, Instance):
            return self._part(index, f'"{self.call.parameter_name(index)}"', verb, t, plain=verb == "is")
        what = self._layer_name(index)
        parts = [self._part(index, what, slot, part, plain=False) for slot, part in zip(SLOTS, layer.args, strict=True)]
        return layer.copy_modified(args=parts)

    def _needs_context(self, t: Type, argument: Expression) -> bool:
        """A function given as an argument is left to mypy, unless sizes in it have to be worked out."""
        return isinstance(t, CallableType) and (not has_arithmetic(t) or isinstance(argument, LambdaExpr))

    def _layer_name(self, index: int) -> str:
        if len(self.layers) > 1:
            return f"the {ordinal(self.layers.index(index))} layer"
        return "the model" if self.call.parameter_name(index) == "model" else "the layer"

    def _part(self, index: int, what: str, verb: str, part: Type, *, plain: bool) -> Type:
        """One part of a parameter renamed; it becomes a seam, with the types to compare in the pack."""
        pairs: list[tuple[Type, TypeVarType, int]]
        if self._is_settled(part, index, plain=plain):
            renamed, pairs = self._settled(part)
        else:
            free = set() if isinstance(get_proper_type(part), CallableType) else self.free
            apart = _Apart(free, self.seen, len(self.seams), self._pattern())
            renamed, pairs = part.accept(apart), apart.pairs
        sources = tuple(source for _, _, source in pairs)
        self.seams.append(Seam(index, what, verb, len(self.packed), sources, plain))
        self.packed += [self.call.fill_in(renamed), self.call.fill_in(part)]
        for old, new, _ in pairs:
            self.packed += [self.call.fill_in(old), new]
            self.fresh.append(new)
        return renamed

    def _pattern(self) -> TypeVarType | None:
        """A dimension variable to copy fresh ones from."""
        return next(iter(self.call.dimensions), None)

    def _is_settled(self, part: Type, index: int, *, plain: bool) -> bool:
        """Whether a layer's part is wanted as one certain type, and the argument needs no context to be typed."""
        argument = self.call.argument(index)
        variables = [v for v in self.call.signature.variables if isinstance(v, TypeVarType)]
        if plain or argument is None or not variables or isinstance(get_proper_type(part), AnyType):
            return False
        return not _has_variable(part, {v.id for v in variables}) and is_settled_expression(argument)

    def _settled(self, part: Type) -> tuple[Type, list[tuple[Type, TypeVarType, int]]]:
        """A free variable in place of a certain type, to be compared with it."""
        pattern = next(v for v in self.call.signature.variables if isinstance(v, TypeVarType))
        bound = self.call.named("builtins.object", [])
        new = pattern.copy_modified(id=TypeVarId.new(meta_level=pattern.id.meta_level), upper_bound=bound)
        return new, [(part, new, NO_SOURCE)]


class _Apart(Through):
    """Gives every repeated type variable, and all arithmetic, a fresh name."""

    def __init__(
        self, free: set[TypeVarId], seen: dict[TypeVarId, int], seam: int, pattern: TypeVarType | None
    ) -> None:
        super().__init__()
        self.free, self.seen, self.seam, self.pattern = free, seen, seam, pattern
        self.pairs: list[tuple[Type, TypeVarType, int]] = []

    def visit_type_var(self, t: TypeVarType) -> Type:
        """The first occurrence keeps its name."""
        if t.id not in self.free:
            return t
        if t.id not in self.seen:
            self.seen[t.id] = self.seam
            return t
        return self._renamed(t, t, self.seen[t.id])

    def visit_tuple_type(self, t: TupleType) -> Type:
        """A number in a shape is compared too, so that the message is ours."""
        if self.pattern is None:
            return super().visit_tuple_type(t)
        items = [self._renamed(i, self.pattern, NO_SOURCE) if _is_number(i) else i.accept(self) for i in t.items]
        return t.copy_modified(items=items)

    def visit_instance(self, t: Instance) -> Type:
        """Arithmetic cannot be inferred: a plain variable stands in for it."""
        if self.pattern is not None and t.type.fullname in OPERATORS:
            return self._renamed(t, self.pattern, NO_SOURCE)
        return super().visit_instance(t)

    def _renamed(self, old: Type, pattern: TypeVarType, source: int) -> TypeVarType:
        new = pattern.copy_modified(id=TypeVarId.new(meta_level=pattern.id.meta_level))
        self.pairs.append((old, new, source))
        return new


def _is_number(t: Type) -> bool:
    t = get_proper_type(t)
    return isinstance(t, LiteralType) and isinstance(t.value, int) and t.fallback.type.fullname == "builtins.int"


class _Variables(Through):
    """Collects type variables."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[TypeVarId] = set()

    def visit_type_var(self, t: TypeVarType) -> Type:
        """Note it."""
        self.found.add(t.id)
        return t


def _has_variable(t: Type, variables: set[TypeVarId]) -> bool:
    search = _Variables()
    t.accept(search)
    return not search.found.isdisjoint(variables)


def is_settled_expression(e: Expression) -> bool:
    """Whether an expression has its type whatever is expected of it: no lambda and no literal container in it."""
    match e:
        case NameExpr() | MemberExpr() | IntExpr() | StrExpr() | FloatExpr():
            return True
        case OpExpr():
            return is_settled_expression(e.left) and is_settled_expression(e.right)
        case CallExpr():
            return all(is_settled_expression(argument) for argument in e.args)
    return False
