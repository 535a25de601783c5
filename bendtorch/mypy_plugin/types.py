"""Between mypy's types and polynomials.

A size is a type: `Literal[64]`, a dimension variable, a `NewType` of int, or `Mul`, `Add`, `Div` of those. A number
known only at run time is a literal type of int whose value is a *text* ("module.line:name"), which no program can
write and which the cache keeps.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, cast

from mypy.nodes import TypeInfo, Var
from mypy.plugin import CheckerPluginInterface
from mypy.subtypes import is_same_type, is_subtype
from mypy.type_visitor import TypeTranslator
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    LiteralType,
    TupleType,
    Type,
    TypeAliasType,
    TypeOfAny,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from bendtorch.mypy_plugin.poly import Atom, Monomial, Poly, quotient_parts
from bendtorch.mypy_plugin.size_text import combine
from bendtorch.mypy_plugin.vocabulary import ADD, ARITHMETIC, DIV, MUL

if TYPE_CHECKING:
    from mypy.checker import TypeChecker

OPERATORS: Final = {ADD: "+", MUL: "*", DIV: "//"}

ANY_INT: Final = "0any."
"""How the text of a literal type begins that stands for arithmetic of an `int`: like a module's name, but of none."""

Named = Callable[[str, list[Type]], Instance]
"""mypy's way to make an instance of a class by its full name; each of its two plugin interfaces has one."""


def named_in(api: CheckerPluginInterface) -> Named:
    """That way in the type checker, which by itself finds only classes that some module on the path imports by name."""

    def named(fullname: str, args: list[Type]) -> Instance:
        if fullname not in OPERATORS:
            return api.named_generic_type(fullname, args)
        info = cast("TypeChecker", api).modules[ARITHMETIC].names[fullname.rsplit(".", 1)[-1]].node
        assert isinstance(info, TypeInfo)
        return Instance(info, args)

    return named


def poly_of(t: Type) -> Poly | None:
    """The polynomial that a size type stands for; None when it is not one, or just `int`."""
    t = get_proper_type(t)
    if isinstance(t, LiteralType):
        return _poly_of_literal(t)
    if isinstance(t, TypeVarType):
        key = f"{t.name}#{t.id.raw_id}.{t.id.namespace}.{t.id.meta_level}"
        return Poly.atom(Atom("var", key, t.name, t))
    if isinstance(t, Instance):
        return _poly_of_instance(t)
    return None


def _poly_of_literal(t: LiteralType) -> Poly | None:
    if t.fallback.type.is_enum and is_int_class(t.fallback.type):
        return _poly_of_member(t)
    if t.fallback.type.fullname != "builtins.int":
        return None
    if isinstance(t.value, int):
        return Poly.number(t.value)
    text = str(t.value)
    return Poly.atom(Atom("run-time", text, text.rsplit(":", 1)[-1], t))


def _poly_of_member(t: LiteralType) -> Poly:
    """A member of an `IntEnum` is its number; one that the plugin does not know has the member's name."""
    info, name = t.fallback.type, str(t.value)
    maker, member = info.get("__new__"), info.names.get(name)
    declared = get_proper_type(member.node.type) if member is not None and isinstance(member.node, Var) else None
    is_plain = maker is None or maker.fullname is None or maker.fullname.startswith(("builtins.", "enum."))
    known = declared.last_known_value if isinstance(declared, Instance) else declared
    if is_plain and isinstance(known, LiteralType) and type(known.value) is int:
        return Poly.number(known.value)
    return Poly.atom(Atom("member", f"{info.fullname}.{name}", f"{info.name}.{name}", t))


def is_int_class(info: TypeInfo) -> bool:
    """Whether it is a class of whole numbers, each of which may be another: no `NewType`, which names one."""
    return info.has_base("builtins.int") and not info.is_newtype and info.fullname not in ("builtins.bool", *OPERATORS)


def _poly_of_instance(t: Instance) -> Poly | None:
    name = t.type.fullname
    if name in OPERATORS and len(t.args) == 2:
        left, right = poly_of(t.args[0]), poly_of(t.args[1])
        if left is None or right is None:
            return None
        if name == DIV:
            return left // right if right.terms else None
        return left * right if name == MUL else left + right
    if is_int_class(t.type):
        return _poly_of_literal(t.last_known_value) if t.last_known_value is not None else None
    if t.type.is_newtype and t.type.has_base("builtins.int"):
        return Poly.atom(Atom("new-type", name, t.type.name, t))
    return None


def type_of(poly: Poly, named: Named) -> Type:
    """The type of a polynomial: one for each, so that equal sizes are equal types."""
    terms = [_type_of_term(monomial, factor, named) for monomial, factor in poly.terms]
    return _fold(ADD, terms, named) if terms else literal(0, named)


def _type_of_term(monomial: Monomial, factor: int, named: Named) -> Type:
    numbers: list[Type] = [literal(factor, named)] if factor != 1 or not monomial else []
    return _fold(MUL, numbers + [_type_of_atom(atom, named) for atom in monomial], named)


def _type_of_atom(atom: Atom, named: Named) -> Type:
    parts = quotient_parts(atom)
    if parts is not None:
        return named(DIV, [type_of(parts[0], named), type_of(parts[1], named)])
    assert isinstance(atom.payload, Type)
    return atom.payload


def _fold(operator: str, types: list[Type], named: Named) -> Type:
    result = types[-1]
    for t in reversed(types[:-1]):
        result = named(operator, [t, result])
    return result


def literal(value: int | str, named: Named) -> LiteralType:
    """The literal type of a number, or of a number known only at run time."""
    return LiteralType(value, named("builtins.int", []))


def unknown() -> AnyType:
    """What stands for a size that an error has been reported for."""
    return AnyType(TypeOfAny.from_error)


class Through(TypeTranslator):
    """A translator of types that sees through aliases."""

    def visit_type_alias_type(self, t: TypeAliasType) -> Type:
        """The alias's target in place of the alias; a recursive one stays as it is."""
        return t if t.is_recursive else get_proper_type(t).accept(self)


class _Normalise(Through):
    """All arithmetic in its normal form, from the inside out."""

    def __init__(self, named: Named) -> None:
        super().__init__()
        self.named = named

    def visit_instance(self, t: Instance) -> Type:
        """An arithmetic class becomes the type of its polynomial."""
        inside = super().visit_instance(t)
        if t.type.fullname not in OPERATORS:
            return inside
        poly = open_poly_of(inside)
        if poly is None:
            return AnyType(TypeOfAny.special_form)
        kinds = {atom.kind for atom in poly.all_atoms}
        if "wild" in kinds and kinds.isdisjoint(("var", "run-time")):
            return literal(f"{ANY_INT}{poly.key.encode().hex()}.0:{poly}", self.named)
        return type_of(poly, self.named)


def any_int(place: int, t: Type) -> Poly:
    """An `int` in arithmetic: it may be any number, so no other place of the same size is equal to it."""
    return Poly.atom(Atom("wild", str(place), "int", t))


def open_poly_of(t: Type) -> Poly | None:
    """The polynomial of arithmetic of sizes and of `int`s; each `int` is an atom of its own: `2*int` is no `int`."""
    return _open_poly(t, itertools.count())


def _open_poly(t: Type, places: Iterator[int]) -> Poly | None:
    t = get_proper_type(t)
    poly = poly_of(t)
    if poly is not None or not isinstance(t, Instance):
        return poly
    if is_int_class(t.type):
        return any_int(next(places), t)
    if t.type.fullname not in OPERATORS or len(t.args) != 2:
        return None
    left, right = (_open_poly(part, places) for part in t.args)
    if left is None or right is None or (t.type.fullname == DIV and not right.terms):
        return None
    return combine(OPERATORS[t.type.fullname], left, right)


def is_of_any_int(t: Type) -> bool:
    """Whether a size is `int`, or arithmetic of one: what it is may differ from one place to the next."""
    t = get_proper_type(t)
    if isinstance(t, LiteralType):
        return isinstance(t.value, str) and t.value.startswith(ANY_INT)
    is_size = isinstance(t, Instance) and (is_int_class(t.type) or t.type.fullname in OPERATORS)
    return is_size and poly_of(t) is None


def normalise(t: Type, named: Named) -> Type:
    """The type with every size in it in normal form."""
    return t.accept(_Normalise(named)) if has_arithmetic(t) else t


def has_arithmetic(t: Type) -> bool:
    """Whether arithmetic occurs in a type. Walked by hand: mypy's visitors fail on types that are not yet finished."""
    waiting: list[Type] = [t]
    seen: set[str] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, Instance):
            if part.type.fullname in OPERATORS:
                return True
            waiting.extend(part.args)
        elif isinstance(part, (TupleType, UnionType)):
            waiting.extend(part.items)
        elif isinstance(part, CallableType):
            waiting.extend((*part.arg_types, part.ret_type))
        elif isinstance(part, TypeAliasType):
            waiting.extend(part.args)
            if part.alias is not None and part.alias.fullname not in seen:
                seen.add(part.alias.fullname)
                waiting.append(part.alias.target)
    return False


def same(a: Type, b: Type) -> bool:
    """Whether two types are equal, sizes compared as polynomials and `Any` fitting everything."""
    p, q = poly_of(a), poly_of(b)
    return (p is not None and p == q) or is_same_type(a, b) or (is_subtype(a, b) and is_subtype(b, a))
