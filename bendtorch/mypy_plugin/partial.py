"""`functools.partial` of functions with sizes.

mypy checks a partial application and its later call by itself, past the signature hooks; so both are done here, and
then handed to mypy's own treatment of `partial`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from mypy.argmap import map_actuals_to_formals
from mypy.checker import TypeChecker
from mypy.nodes import ArgKind, Expression
from mypy.plugin import FunctionContext, MethodContext
from mypy.plugins.default import DefaultPlugin
from mypy.plugins.functools import handle_partial_with_callee
from mypy.types import AnyType, CallableType, Instance, Type, TypeOfAny, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.calls import CallHooks
from bendtorch.mypy_plugin.dimensions import bind_dimensions
from bendtorch.mypy_plugin.seams import unpack

AnyContext = TypeVar("AnyContext", FunctionContext, MethodContext)

PARTIAL = "functools.partial"
PARTIAL_CALL = "functools.partial.__call__"


class PartialHooks:
    """The hooks for making a partial and for calling it. `default` is mypy's own plugin, which types the rest."""

    def __init__(self, default: DefaultPlugin, calls: CallHooks) -> None:
        self.default, self.calls = default, calls

    def on_partial(self, context: FunctionContext) -> Type:
        """`partial(Linear, 64)`: the sizes given so far are put into the signature."""
        callee = _callee(context.arg_types[0][0]) if context.arg_types and context.arg_types[0] else None
        if isinstance(callee, CallableType) and isinstance(context.api, TypeChecker) and len(context.arg_types) == 3:
            given = _Actuals(context.args[1:], context.arg_kinds[1:], context.arg_names[1:])
            call = Call(given.by_formal(callee), callee, context.context, context.api)
            bound = bind_dimensions(call, self.calls.reader)
            if bound:
                return handle_partial_with_callee(context, callee=_with_sizes(call, bound))
        return _ask(self.default.get_function_hook(PARTIAL), context)

    def on_call(self, context: MethodContext) -> Type:
        """A call of a partial object is a call of what it was made from."""
        callee = _callee(context.type)
        if isinstance(callee, CallableType) and isinstance(context.api, TypeChecker):
            given = _Actuals(context.args, context.arg_kinds, context.arg_names)
            by_formal = given.by_formal(callee)
            signature = self.calls.signature(by_formal, callee, context.context, context.api)
            if signature is not callee:
                result, _ = context.api.expr_checker.check_call(
                    signature, given.expressions, given.kinds, context.context, given.names
                )
                return unpack(result, by_formal, context.context, context.api, self.calls.reader)
        return _ask(self.default.get_method_hook(PARTIAL_CALL), context)


class _Actuals:
    """The arguments behind `*args` and `**kwargs`, each once, in order."""

    def __init__(
        self,
        args: Sequence[Sequence[Expression]],
        kinds: Sequence[Sequence[ArgKind]],
        names: Sequence[Sequence[str | None]],
    ) -> None:
        found: dict[int, tuple[Expression, ArgKind, str | None]] = {}
        for group in zip(args, kinds, names, strict=True):
            for argument in zip(*group, strict=True):
                found.setdefault(id(argument[0]), argument)
        self.expressions = [expression for expression, _, _ in found.values()]
        self.kinds = [kind for _, kind, _ in found.values()]
        self.names = [name for _, _, name in found.values()]

    def by_formal(self, callee: CallableType) -> list[list[Expression]]:
        """The expressions for each parameter of the callee."""
        mapping = map_actuals_to_formals(
            self.kinds, self.names, callee.arg_kinds, callee.arg_names, lambda _: AnyType(TypeOfAny.special_form)
        )
        return [[self.expressions[position] for position in positions] for positions in mapping]


def _with_sizes(call: Call, bound: set[int]) -> CallableType:
    s, int_type = call.signature, call.named("builtins.int", [])
    return s.copy_modified(
        arg_types=[int_type if index in bound else call.fill_in(t) for index, t in enumerate(s.arg_types)],
        ret_type=call.fill_in(s.ret_type),
        variables=[v for v in s.variables if v.id not in call.found],
    )


def _callee(t: Type) -> Type:
    """What a partial object calls (mypy keeps it beside the type), or the type itself."""
    t = get_proper_type(t)
    kept = t.extra_attrs.attrs.get("__mypy_partial") if isinstance(t, Instance) and t.extra_attrs else None
    return t if kept is None else get_proper_type(kept)


def _ask(hook: Callable[[AnyContext], Type] | None, context: AnyContext) -> Type:
    return hook(context) if hook is not None else context.default_return_type
