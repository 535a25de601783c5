"""Layers in a row: `a >> b`, and `Seq` of more layers than its overloads spell out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mypy.nodes import CallExpr, Expression, OpExpr
from mypy.plugin import CheckerPluginInterface, FunctionContext, FunctionSigContext, MethodContext, MethodSigContext
from mypy.types import (
    AnyType,
    CallableType,
    Instance,
    ProperType,
    TupleType,
    Type,
    TypeVarId,
    TypeVarType,
    UninhabitedType,
    get_proper_type,
)

from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.fixed import of_one_name
from bendtorch.mypy_plugin.middle import Seam, between, formulas, message_of_two, seam_before
from bendtorch.mypy_plugin.picture import note_chain
from bendtorch.mypy_plugin.queries import has_bare_int, is_layer
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import named_in, normalise, same
from bendtorch.mypy_plugin.vocabulary import BEND_DIM, BEND_SHAPE, NOT_STATIC
from bendtorch.mypy_plugin.watch import MessageWatch
from bendtorch.mypy_plugin.wording import ordinal


def on_rshift_signature(context: MethodSigContext) -> CallableType:
    """`>>` takes a layer of any input; what it takes comes back in the result, to be compared with what is given."""
    s = context.default_signature
    other = get_proper_type(s.arg_types[0]) if s.arg_types else None
    pattern = next((v for v in s.variables if isinstance(v, TypeVarType)), None)
    if not isinstance(other, Instance) or not is_layer(other) or pattern is None:
        return s
    takes = pattern.copy_modified(id=TypeVarId.new(meta_level=pattern.id.meta_level))
    parameters, _, gives, saves = other.args
    named = named_in(context.api)
    both = TupleType([s.ret_type, takes], named("builtins.tuple", [named("builtins.object", [])]))
    return s.copy_modified(
        arg_types=[other.copy_modified(args=[parameters, takes, gives, saves])],
        variables=[*s.variables, takes],
        ret_type=both,
    )


def on_rshift(context: MethodContext, reader: SizeReader, watch: MessageWatch) -> Type:
    """Compare what the left layer gives with what the right one takes."""
    both, left, api = get_proper_type(context.default_return_type), get_proper_type(context.type), context.api
    if not isinstance(both, TupleType) or len(both.items) != 2 or not is_layer(left):
        return context.default_return_type
    assert isinstance(left, Instance)
    right = context.args[0][0] if context.args and context.args[0] else None
    gives, takes = (normalise(t, named_in(api)) for t in (left.args[2], both.items[1]))
    if isinstance(get_proper_type(takes), UninhabitedType):
        return both.items[0]  # not a layer, as mypy reports
    whole = context.context if isinstance(context.context, OpExpr) else None
    seam = Seam(gives, takes, whole, right)
    if not same(gives, takes):
        _report(seam, context, reader, watch)
    elif has_bare_int(gives):
        message = f">>: {seam.names[0]} gives {show(gives)}, {NOT_STATIC}"
        api.fail(message, right or context.context, code=BEND_DIM)
    return reader.leaving(both.items[0], context.context, api)  # made of parts that are in normal form


def _report(seam: Seam, context: MethodContext, reader: SizeReader, watch: MessageWatch) -> None:
    """One error for a seam; for both seams of a layer that fits neither neighbour, one in place of two."""
    api, place = context.api, seam.right or context.context
    message, before = seam.message(api, reader), seam_before(seam, api)
    if before is not None and before.right is not None:
        first = before.right.line, before.message(api, reader)
        watch.merge(api.path, first, (place.line, message), message_of_two(before, seam))
    api.fail(message, place, code=BEND_SHAPE)
    if seam.whole is not None:
        note_chain([seam.whole.left, seam.whole.right], place, api)


def on_seq_signature(context: FunctionSigContext) -> CallableType:
    """A list of layers behind a star has no length that is known, and layers of one type only: no overload fits."""
    call = context.context
    for argument, kind in zip(call.args, call.arg_kinds, strict=True) if isinstance(call, CallExpr) else ():
        t = get_proper_type(context.api.get_expression_type(argument)) if kind.is_star() else None
        item = get_proper_type(t.args[0]) if isinstance(t, Instance) and len(t.args) == 1 else None
        if item is not None and not isinstance(item, AnyType) and not _is_untyped(item):
            hint = "use Repeat(k, layer) for k layers of one kind, a tuple for different ones"
            context.api.fail(f"Seq: the number of layers is not static; {hint}", argument, code=BEND_DIM)
    return context.default_signature


def _is_untyped(t: ProperType) -> bool:
    """Whether it is `Layer[Any, Any, Any, Any]`, by which a user leaves the checks to the run time."""
    return isinstance(t, Instance) and is_layer(t) and all(isinstance(get_proper_type(a), AnyType) for a in t.args)


def is_rest_of_seq(context: FunctionContext) -> bool:
    """Whether this call of `Seq` is of the overload for many layers."""
    return bool(context.callee_arg_names) and context.callee_arg_names[-1] == "rest"


def on_seq(context: FunctionContext, reader: SizeReader) -> Type:
    """`Seq` of any number of layers: its type folded from the right, its seams compared."""
    places, layers = _layers_of(context)
    chain = [layer for layer in layers if isinstance(layer, Instance) and is_layer(layer)]
    if len(chain) != len(layers):
        return context.default_return_type
    _compare(places, chain, context.api, reader)
    named = named_in(context.api)
    parameters, saved = chain[-1].args[0], chain[-1].args[3]
    for layer in reversed(chain[:-1]):
        fallback = named("builtins.tuple", [named("builtins.object", [])])
        parameters = TupleType([layer.args[0], parameters], fallback)
        saved = TupleType([layer.args[3], saved], fallback)
    return chain[0].copy_modified(args=[parameters, chain[0].args[1], chain[-1].args[2], saved])


def _layers_of(context: FunctionContext) -> tuple[list[Expression], list[ProperType]]:
    """The expressions and types of the layers given, a tuple behind a star taken apart."""
    given: dict[Expression, Type] = {}  # what stands behind a star is given for several parameters, and counted once
    for expressions, types in zip(context.args, context.arg_types, strict=True):
        given |= dict(zip(expressions, types, strict=True))
    places: list[Expression] = []
    layers: list[ProperType] = []
    for place, t in given.items():
        proper = get_proper_type(t)
        parts = proper.items if isinstance(proper, TupleType) else [proper]
        places += [place] * len(parts)
        layers += [get_proper_type(part) for part in parts]
    return places, layers


def _compare(
    places: Sequence[Expression], chain: Sequence[Instance], api: CheckerPluginInterface, reader: SizeReader
) -> None:
    """Report the seams that do not fit, or are not static; both seams of one layer at once."""
    fits = [same(one.args[2], other.args[1]) for one, other in pairwise(chain)]
    number = 0
    while number < len(fits):
        one, other = chain[number : number + 2]
        gives, takes, place = one.args[2], other.args[1], places[number + 1]
        first, second = (f"the {ordinal(number)} layer gives {show(gives)}", f"the {ordinal(number + 1)}")
        if fits[number] and has_bare_int(gives):
            api.fail(f"Seq: {first}, {NOT_STATIC}", place, code=BEND_DIM)
        elif not fits[number] and fits[number + 1 : number + 2] == [False]:
            behind = chain[number + 2].args[1]
            before, after = (f"the {ordinal(number)}", gives), (f"the {ordinal(number + 2)}", behind)
            message = between(f"{second} layer", (takes, other.args[2]), before, after)
            api.fail(f"Seq: {message}", place, code=BEND_SHAPE)
            number += 1
        elif not fits[number]:
            given, wanted = formulas(places[number], place, gives, takes, api, reader)
            why = wanted + of_one_name(gives, takes)
            api.fail(f"Seq: {first}{given}, {second} takes {show(takes)}{why}", place, code=BEND_SHAPE)
        number += 1
    if not all(fits):
        note_chain(places, places[fits.index(False) + 1], api)
