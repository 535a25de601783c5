"""The plugin class: which hook is asked for what.

All state is in this object, and is about the file at hand: see `SizeReader`, `AnnotationHook` and `MessageWatch`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from mypy.nodes import MypyFile, OpExpr, Var
from mypy.options import Options
from mypy.plugin import (
    AnalyzeTypeContext,
    AttributeContext,
    FunctionContext,
    FunctionSigContext,
    MethodContext,
    MethodSigContext,
    Plugin,
    ReportConfigContext,
)
from mypy.plugins.default import DefaultPlugin
from mypy.subtypes import is_subtype
from mypy.types import CallableType, Type

from bendtorch.mypy_plugin import arrays, chain, updates
from bendtorch.mypy_plugin.annotations import AnnotationHook
from bendtorch.mypy_plugin.array_types import has_sizes
from bendtorch.mypy_plugin.bounds import SLICES, check_bounds
from bendtorch.mypy_plugin.calls import FIELD_OWNERS, CallHooks
from bendtorch.mypy_plugin.defaults import Defaults
from bendtorch.mypy_plugin.expressions import SizeReader
from bendtorch.mypy_plugin.faults import guarded
from bendtorch.mypy_plugin.fixed import outside_of_calls
from bendtorch.mypy_plugin.numpy_calls import NumpyHooks
from bendtorch.mypy_plugin.opening import opened
from bendtorch.mypy_plugin.partial import PARTIAL, PARTIAL_CALL, PartialHooks
from bendtorch.mypy_plugin.proofs import check_handed_on, check_made
from bendtorch.mypy_plugin.sealing import apart, imported, in_our_file, is_gradual, sealed
from bendtorch.mypy_plugin.types import named_in, normalise
from bendtorch.mypy_plugin.vocabulary import ARITHMETIC, EQUATION, FOREIGN, LAYER, NUMPY, SEQ
from bendtorch.mypy_plugin.watch import MessageWatch

ARRAY_SHAPE: Final = "numpy.ndarray.shape"
ROOTS: Final = ("bendtorch", "numpy")
"""The packages whose arrays have sizes."""
RSHIFT: Final = f"{LAYER}.__rshift__"
MAP: Final = "builtins.map"
"""The one function of Python's own that gives what its argument, perhaps a lambda, makes."""


EXTREMES: Final = ("builtins.max", "builtins.min")


class BendPlugin(Plugin):
    """Static sizes for bendtorch. Plugins come before mypy's own, so where mypy has a hook, it is left to it."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.default = DefaultPlugin(options)
        self.defaults = Defaults(self.lookup_fully_qualified)
        self.watch, self.reader = MessageWatch(self.defaults), SizeReader()
        self.annotations = AnnotationHook(self.watch)
        self.calls = CallHooks(self.watch, self.reader)
        self.numpy = NumpyHooks(self.reader)
        self.partials = PartialHooks(self.default, self.calls)

    def report_config_data(self, ctx: ReportConfigContext) -> Any:
        """Part of each file's cache key: without it a changed plugin would leave stale results behind."""
        return DIGEST

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        """The trees of all files, which mypy fills as it reads them."""
        super().set_modules(modules)
        self.defaults.modules = modules

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """The arithmetic classes are loaded wherever arrays are: also where a file knows numpy's alone."""
        known = [name for node in file.imports for name in imported(node)]
        if file.is_stub or not any(name.startswith(ROOTS) for name in known):
            return []
        return [(10, ARITHMETIC, -1)]

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        """Any type name: sizes in its arguments."""
        if fullname.startswith(FOREIGN):
            return None
        symbol = self.lookup_fully_qualified(fullname)
        if symbol is not None and isinstance(symbol.node, Var):
            return None  # Literal[some_variable]: the plain analysis inside of the hook would lose that context
        hook = self.annotations.find(fullname)
        if hook is None:
            return None
        plain = self.annotations.plain
        return guarded(hook, "annotation", lambda context: plain(fullname, context.type, context))

    def get_function_signature_hook(self, fullname: str) -> Callable[[FunctionSigContext], CallableType] | None:
        """A call of a function or a class."""
        if fullname.startswith(NUMPY):
            return guarded(_on_numpy_signature, "numpy signature")
        if fullname.startswith(FOREIGN) or self.default.get_function_signature_hook(fullname):
            return None
        return guarded(self._on_seq_signature if fullname == SEQ else self.calls.on_signature, "signature")

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        """The result of such a call."""
        if fullname == PARTIAL:
            return guarded(self.partials.on_partial, "partial")
        if fullname in arrays.MAKERS:
            return guarded(lambda context: arrays.on_make(context, self.reader), "np.full")
        if fullname in EXTREMES:
            return guarded(_on_extreme, fullname)
        if self.default.get_function_hook(fullname):
            return None
        if fullname.startswith(NUMPY):
            return guarded(partial(self.numpy.on_function, fullname), "numpy")
        if fullname == MAP:
            return guarded(self._on_map, "map")
        if fullname.startswith(FOREIGN):
            return guarded(_on_builtin, "builtin") if fullname.startswith("builtins.") else None
        if fullname == SEQ:
            return guarded(self._on_seq, "Seq")
        if fullname == EQUATION:
            return guarded(self._on_equation, "Eq")
        if fullname in SLICES:
            return guarded(partial(self._on_slice, fullname), "slice")
        return guarded(self.calls.on_call, "call")

    def get_method_signature_hook(self, fullname: str) -> Callable[[MethodSigContext], CallableType] | None:
        """A call of a method, or of a function in a field."""
        if fullname == RSHIFT:
            return guarded(chain.on_rshift_signature, ">>")
        if fullname.startswith(FOREIGN) or self.default.get_method_signature_hook(fullname):
            return None
        owner, _, field = fullname.rpartition(".")
        if owner in FIELD_OWNERS and not field.startswith("__"):
            return guarded(partial(self.calls.on_field_signature, FIELD_OWNERS[owner], field), "field signature")
        return guarded(self._on_method_signature, "method signature")

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        """The result of such a call, and of numpy's operators."""
        special = self._method_hooks().get(fullname)
        if special is not None:
            return guarded(special, fullname.rsplit(".", 1)[-1])
        if self.default.get_method_hook(fullname):
            return None
        if fullname.startswith(NUMPY):
            return guarded(partial(self.numpy.on_method, fullname), "numpy")
        return None if fullname.startswith(FOREIGN) else guarded(self.calls.on_call, "method call")

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """A field: a `Mat[N, "4*D"]` in a `Block[3, 32]` is a `Mat[3, 128]`."""
        if fullname in arrays.TRANSPOSED:
            return guarded(arrays.on_transposed, ".T")
        if fullname == ARRAY_SHAPE:
            return guarded(updates.on_shape, ".shape")
        if fullname.startswith(NUMPY):
            return guarded(_on_numpy_attribute, "attribute")
        if fullname.startswith(FOREIGN) or self.default.get_attribute_hook(fullname):
            return None
        return guarded(partial(self._on_attribute, fullname.rpartition(".")[2]), "attribute")

    def get_class_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        """A field, by the class's name."""
        return None if fullname.startswith(FOREIGN) else self.get_attribute_hook(fullname)

    def _method_hooks(self) -> dict[str, Callable[[MethodContext], Type]]:
        return {
            RSHIFT: self._on_rshift,
            PARTIAL_CALL: self.partials.on_call,
            arrays.MAKE_EMPTY: lambda context: arrays.on_make(context, self.reader),
        }

    def _on_method_signature(self, context: MethodSigContext) -> CallableType:
        return self.calls.signature(context.args, opened(context, self.reader), context.context, context.api)

    def _on_slice(self, fullname: str, context: FunctionContext) -> Type:
        check_bounds(fullname, context, self.reader)
        return self.calls.on_call(context)

    def _on_rshift(self, context: MethodContext) -> Type:
        e = context.context
        if isinstance(e, OpExpr):
            self.calls.blind.check_row(">>", [e.left, e.right], context.api)
        return chain.on_rshift(context, self.reader, self.watch)

    def _on_seq_signature(self, context: FunctionSigContext) -> CallableType:
        chain.on_seq_signature(context)
        return self.calls.on_signature(context)

    def _on_seq(self, context: FunctionContext) -> Type:
        if not chain.is_rest_of_seq(context):
            return self.calls.on_call(context)
        self.calls.blind.check_call(context)
        return self.reader.leaving(chain.on_seq(context, self.reader), context.context, context.api)

    def _on_equation(self, context: FunctionContext) -> Type:
        check_made(context)
        return context.default_return_type

    def _on_map(self, context: FunctionContext) -> Type:
        check_handed_on(context)
        return self.reader.leaving(context.default_return_type, context.context, context.api)

    def _on_attribute(self, field: str, context: AttributeContext) -> Type:
        t = normalise(context.default_attr_type, named_in(context.api))
        if context.is_lvalue:
            return t
        t = outside_of_calls(t, context.type, field, context.context, context.api)
        return self.reader.leaving(t, context.context, context.api)


def _on_extreme(context: FunctionContext) -> Type:
    """`max(n, 1)` of sizes is an int; mypy finds no common type of a dimension variable and a number."""
    whole = context.api.named_generic_type("builtins.int", [])
    given = [t for types in context.arg_types for t in types]
    is_of_sizes = len(given) > 1 and all(is_subtype(t, whole) for t in given)
    return whole if is_of_sizes and not is_subtype(context.default_return_type, whole) else context.default_return_type


def _on_builtin(context: FunctionContext) -> Type:
    """`list(x)`: rows of an array come out of it."""
    is_ours = any(has_sizes(t) for types in context.arg_types for t in types)
    return sealed(context.default_return_type, context.api) if is_ours else context.default_return_type


def _on_numpy_signature(context: FunctionSigContext) -> CallableType:
    """`np.moveaxis(x, 0, 1)`."""
    signature = context.default_signature
    return apart(signature, named_in(context.api)) if in_our_file(context.api) else signature


def _on_numpy_attribute(context: AttributeContext) -> Type:
    """`np.linalg.svd(x).U`."""
    is_open = in_our_file(context.api) and not is_gradual(context.type)
    return sealed(context.default_attr_type, context.api) if is_open else context.default_attr_type


def _digest() -> str:
    """What identifies this version of the plugin: a hash of its sources."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]


DIGEST: Final = _digest()
