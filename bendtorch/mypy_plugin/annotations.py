"""Sizes in annotations: numbers, `Final`s, dimension variables and strings of arithmetic, wherever a size may stand.

mypy asks this hook for every type name it meets. In `Mat[N, "4*D"]`, and in any generic class or alias with a parameter
bound to int, the arguments in size positions are read here; then mypy analyses the type as it always does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mypy.nodes import MypyFile, PlaceholderNode, TypeAlias, TypeInfo, TypeVarExpr, Var
from mypy.plugin import AnalyzeTypeContext
from mypy.semanal import SemanticAnalyzer
from mypy.semanal_shared import has_placeholder
from mypy.server.trigger import make_trigger
from mypy.typeanal import TypeAnalyser
from mypy.types import AnyType, RawExpressionType, Type, TypeOfAny, UnboundType

from bendtorch.mypy_plugin.expose import expose, size_text
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import is_dimension
from bendtorch.mypy_plugin.size_text import evaluate, parse_size
from bendtorch.mypy_plugin.types import any_int, is_of_any_int, literal, normalise, poly_of, type_of, unknown
from bendtorch.mypy_plugin.vocabulary import BEND_DIM, IDS, MAT, PLACES
from bendtorch.mypy_plugin.watch import MessageWatch

RANKS = {MAT: 2, IDS: 1, PLACES: 2}


class _UnknownSizeError(Exception):
    """A name in a size that is not a size."""


class _NotReadyError(Exception):
    """A name in a size that mypy has not analysed yet, or has reported itself."""


class AnnotationHook:
    """Reads sizes in annotations. Keeps the file that was last made ready, and the type it has handed back to mypy."""

    def __init__(self, watch: MessageWatch) -> None:
        self.watch = watch
        self.ready: MypyFile | None = None
        self.handed_back: str | None = None

    def find(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        """The hook for a type name; None once when this hook itself asks mypy for the plain analysis."""
        if fullname == self.handed_back:
            self.handed_back = None
            return None
        return lambda context: self.analyse(fullname, context)

    def analyse(self, fullname: str, context: AnalyzeTypeContext) -> Type:
        """The type of an annotation, its sizes in normal form."""
        self._prepare(context)
        t = context.type
        if size_text(t) is not None:
            return _Reader(self.watch, context).size(t)  # the pseudo-type of an alias's right side
        if t.args:
            t = self._with_sizes(fullname, t, context)
        return self.plain(fullname, t, context)

    def plain(self, fullname: str, t: UnboundType, context: AnalyzeTypeContext) -> Type:
        """mypy's own analysis of a type."""
        self.handed_back = fullname
        try:
            analysed = context.api.analyze_type(t)
        finally:
            self.handed_back = None
        return _settled(analysed, context)

    def _with_sizes(self, fullname: str, t: UnboundType, context: AnalyzeTypeContext) -> UnboundType:
        """The type with the arguments in size positions replaced by size types."""
        rank = RANKS.get(fullname, len(t.args))
        if len(t.args) != rank:
            plural = "s" if rank > 1 else ""
            name = fullname.rsplit(".", 1)[-1]
            context.api.fail(f"{name} takes {rank} size{plural}, {len(t.args)} given", context.context, code=BEND_DIM)
            return UnboundType(t.name, [unknown()] * rank, line=t.line, column=t.column)
        positions = _size_positions(context)
        if not any(positions):
            return t
        reader = _Reader(self.watch, context)
        args = [
            reader.size(argument) if number < len(positions) and positions[number] else argument
            for number, argument in enumerate(t.args)
        ]
        return UnboundType(t.name, args, line=t.line, column=t.column, optional=t.optional)

    def _prepare(self, context: AnalyzeTypeContext) -> None:
        """Before a file's functions are analysed: make the names inside of its strings visible to mypy."""
        analyser = context.api
        if not isinstance(analyser, TypeAnalyser) or analyser.is_typeshed_stub:
            return
        tree, semantic = analyser.cur_mod_node, analyser.api
        if isinstance(semantic, SemanticAnalyzer):
            self.watch.install(semantic.errors)
        if self.ready is tree or tree.is_stub:
            return
        self.ready = tree
        self.watch.forget(tree.path)
        if expose(tree) and not semantic.final_iteration:
            semantic.record_incomplete_ref()  # the function at hand has been bound already: once more


def _size_positions(context: AnalyzeTypeContext) -> list[bool]:
    """Which parameters of the generic class or alias at hand are sizes."""
    analyser = context.api
    if not isinstance(analyser, TypeAnalyser):
        return []
    symbol = analyser.lookup_qualified(context.type.name, context.type, suppress_errors=True)
    node = symbol.node if symbol is not None else None
    variables: Sequence[Type] = ()
    if isinstance(node, TypeInfo):
        variables = node.defn.type_vars
    elif isinstance(node, TypeAlias):
        variables = node.alias_tvars
    return [is_dimension(variable) for variable in variables]


def _settled(t: Type, context: AnalyzeTypeContext) -> Type:
    """In normal form, once everything in it is known."""
    return t if has_placeholder(t) else normalise(t, context.api.named_type)


class _Reader:
    """Reads the sizes of one annotation."""

    def __init__(self, watch: MessageWatch, context: AnalyzeTypeContext) -> None:
        self.watch, self.context, self.api = watch, context, context.api
        self.owner = context.type.name.rsplit(".", 1)[-1]
        self.ints = 0  # how many an annotation's sizes have named: each may be another number

    def size(self, argument: Type) -> Type:
        """The type of one argument in a size position."""
        text = size_text(argument)
        if text is not None and isinstance(argument, UnboundType):
            argument = argument.args[0]  # of the pseudo-type: the string itself
        self._accept(argument)
        if isinstance(argument, RawExpressionType) and type(argument.literal_value) is int:
            return literal(argument.literal_value, self.api.named_type)
        if text is None:
            text = self._name_of_final(argument)
        if text is None:
            return _settled(self.api.analyze_type(argument), self.context)
        return self._size_of_text(text, argument)

    def _accept(self, argument: Type) -> None:
        analyser = self.api
        if isinstance(analyser, TypeAnalyser) and isinstance(analyser.api, SemanticAnalyzer):
            self.watch.accept(analyser.api.errors, argument.line, argument.column)

    def _name_of_final(self, argument: Type) -> str | None:
        """The name, when it is a variable's: a `Final` is a size."""
        if not isinstance(argument, UnboundType) or argument.args or argument.optional:
            return None
        if not isinstance(self.api, TypeAnalyser):
            return None
        symbol = self.api.lookup_qualified(argument.name, argument, suppress_errors=True)
        return argument.name if symbol is not None and isinstance(symbol.node, Var) else None

    def _size_of_text(self, text: str, at: Type) -> Type:
        tree = parse_size(text)
        if tree is None:
            message = f'"{text}" is not a size; write names and numbers with + - * // and parentheses'
            return self._fail(message, at)
        try:
            return type_of(evaluate(tree, lambda name: self._size_of_name(name, at)), self.api.named_type)
        except ZeroDivisionError:
            return self._fail(f'"{text}" divides by 0', at)
        except _UnknownSizeError as problem:
            where = f' in "{text}"' if str(problem) != text else ""
            return self._fail(f'unknown size "{problem}"{where}', at)
        except _NotReadyError:
            return AnyType(TypeOfAny.special_form)

    def _size_of_name(self, name: str, at: Type) -> Poly:
        symbol = None
        if isinstance(self.api, TypeAnalyser):
            symbol = self.api.lookup_qualified(name, at, suppress_errors=True)
        node = symbol.node if symbol is not None else None
        if isinstance(node, Var) and node.is_final and type(node.final_value) is int:
            self._depend_on(node)
            return Poly.number(node.final_value)
        if not isinstance(node, (TypeInfo, TypeAlias, TypeVarExpr, PlaceholderNode)):
            raise _UnknownSizeError(name)
        t = self.api.analyze_type(UnboundType(name, line=at.line, column=at.column))
        if isinstance(node, PlaceholderNode) or isinstance(t, (UnboundType, AnyType)):
            raise _NotReadyError(name)
        poly = poly_of(t)
        if poly is not None:
            return poly
        if not is_of_any_int(t):
            raise _UnknownSizeError(name)
        self.ints += 1
        return any_int(self.ints, t)

    def _depend_on(self, constant: Var) -> None:
        """Tell the daemon: mypy by itself sees no dependency on a constant whose value has gone into a type."""
        semantic = self.api.api if isinstance(self.api, TypeAnalyser) else None
        if isinstance(semantic, SemanticAnalyzer):
            semantic.add_plugin_dependency(make_trigger(constant.fullname))

    def _fail(self, message: str, at: Type) -> Type:
        self.api.fail(f"{self.owner}: {message}", at, code=BEND_DIM)
        return unknown()
