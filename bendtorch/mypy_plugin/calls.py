"""The hooks for calls: a signature with its sizes put in before the call is checked, and the comparison after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy.checker import TypeChecker
from mypy.nodes import CallExpr, Context, Expression, RefExpr
from mypy.plugin import CheckerPluginInterface, FunctionContext, FunctionSigContext, MethodContext, MethodSigContext
from mypy.types import CallableType, Type, get_proper_type

from bendtorch.mypy_plugin.blind import BlindLayers
from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.dimensions import bind_dimensions
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.limits import check_count, check_results
from bendtorch.mypy_plugin.options import check_options
from bendtorch.mypy_plugin.picture import name_of
from bendtorch.mypy_plugin.proofs import check_hidden, has_equation, prove
from bendtorch.mypy_plugin.queries import has_sizes, is_layer
from bendtorch.mypy_plugin.records import builds_layer, layer_from_forward
from bendtorch.mypy_plugin.rename import Renamer
from bendtorch.mypy_plugin.seams import unpack
from bendtorch.mypy_plugin.solve import solve_hidden
from bendtorch.mypy_plugin.types import has_arithmetic, named_in, normalise
from bendtorch.mypy_plugin.watch import MessageWatch

FIELD_OWNERS: Final = {"bendtorch.layer.protocol.Layer": "Layer", "bendtorch.losses.loss.Loss": "Loss"}
"""Classes whose functions are fields; mypy does not know the name of a function that is a field."""


class CallHooks:
    """The hooks for calls of functions and methods."""

    def __init__(self, watch: MessageWatch, reader: SizeReader) -> None:
        self.watch, self.reader, self.blind = watch, reader, BlindLayers(reader)
        self.again: CallExpr | None = None

    def on_signature(self, context: FunctionSigContext | MethodSigContext) -> CallableType:
        """A function's or a method's signature, as this call should see it."""
        return self.signature(context.args, context.default_signature, context.context, context.api)

    def on_field_signature(self, owner: str, field: str, context: MethodSigContext) -> CallableType:
        """The same for a function in a field, which gets its name back for messages."""
        named = context.default_signature.copy_modified(name=f"{field} of {owner}")
        return self.signature(context.args, named, context.context, context.api)

    def signature(
        self,
        args: Sequence[Sequence[Expression]],
        signature: CallableType,
        context: Context,
        api: CheckerPluginInterface,
    ) -> CallableType:
        """The signature with the sizes that the arguments denote, and what repeats renamed apart."""
        self.watch.install(api.msg.errors)
        call = Call(args, _normalised(signature, api), context, api)
        self.watch.remember_parameters(api.path, call.name, signature.arg_names)
        if builds_layer(signature):
            return layer_from_forward(call)
        check_count(call, self.reader)
        check_hidden(call, self.reader)
        if not has_equation(call.signature) and not has_sizes(call.signature):
            return call.signature
        if is_layer(signature.ret_type):
            self.watch.remember_layers(api.path)
        bound = bind_dimensions(call, self.reader)
        solve_hidden(call)
        check_results(call)
        check_options(call, self.reader)
        prove(call, self.reader)
        return Renamer(call, bound).signature()

    def on_call(self, context: FunctionContext | MethodContext) -> Type:
        """The result of a call, after what was renamed apart has been compared."""
        if context.context is self.again:
            return context.default_return_type
        if isinstance(context, FunctionContext):
            self.blind.check_call(context)
            default = self._called_at_once(context)
        else:
            default = context.default_return_type
        result = unpack(default, context.args, context.context, context.api, self.reader)
        return self.reader.leaving(_named(result, context.context), context.context, context.api)

    def _called_at_once(self, context: FunctionContext) -> Type:
        """`maker(7)(3)`: mypy asks no signature hook about a function without a name, so its call is checked again."""
        call, api = context.context, context.api
        if not isinstance(call, CallExpr) or isinstance(call.callee, RefExpr) or not isinstance(api, TypeChecker):
            return context.default_return_type
        callee = get_proper_type(api.get_expression_type(call.callee))  # its type as it is before this call
        if not isinstance(callee, CallableType) or not callee.variables:
            return context.default_return_type
        signature = self.signature(context.args, callee, call, api)
        if signature is callee:
            return context.default_return_type
        self.again = call
        try:
            return api.expr_checker.check_call(signature, call.args, call.arg_kinds, call, call.arg_names)[0]
        finally:
            self.again = None


def _named(t: Type, call: Context) -> Type:
    """A function of sizes that a call gives, with a name: mypy asks hooks only about calls of what has one."""
    function = get_proper_type(t)
    if not isinstance(function, CallableType) or not function.variables or function.name is not None:
        return t
    return function.copy_modified(name=f"{name_of(call) or 'function'}(...)") if isinstance(call, CallExpr) else t


def _normalised(s: CallableType, api: CheckerPluginInterface) -> CallableType:
    """A method of a `Block[3, 32]` that takes `Mat[N, "4*D"]` takes `Mat[3, 128]`."""
    if not any(has_arithmetic(t) for t in (*s.arg_types, s.ret_type)):
        return s
    named = named_in(api)
    return s.copy_modified(arg_types=[normalise(t, named) for t in s.arg_types], ret_type=normalise(s.ret_type, named))
