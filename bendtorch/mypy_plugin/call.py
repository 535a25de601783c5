"""One call as the signature hooks see it, and what is known of its sizes so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mypy.errorcodes import ErrorCode
from mypy.expandtype import expand_type
from mypy.nodes import CallExpr, Context, Expression
from mypy.plugin import CheckerPluginInterface
from mypy.types import CallableType, Type, TypeVarId, TypeVarType

from bendtorch.mypy_plugin.picture import name_of
from bendtorch.mypy_plugin.poly import Atom, Poly
from bendtorch.mypy_plugin.queries import is_dimension
from bendtorch.mypy_plugin.types import Named, named_in, normalise


@dataclass
class Call:
    """A call: the argument expressions for each parameter, and the callee's signature.

    `found` maps type variables to the sizes that the arguments denote; `values` and `names` hold the same sizes as
    polynomials, and the names of the parameters that gave them, for messages.
    """

    args: Sequence[Sequence[Expression]]
    signature: CallableType
    context: Context
    api: CheckerPluginInterface
    found: dict[TypeVarId, Type] = field(default_factory=dict)
    values: dict[Atom, Poly] = field(default_factory=dict)
    names: dict[Atom, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The callee as a message calls it: `Linear`, `Train.step`, `Loss` for a call of a loss."""
        return callee_name(self.signature, name_of(self.context) if isinstance(self.context, CallExpr) else "")

    @property
    def named(self) -> Named:
        """Mypy's way to make an instance of a class."""
        return named_in(self.api)

    @property
    def dimensions(self) -> list[TypeVarType]:
        """The callee's type variables that are sizes."""
        return [v for v in self.signature.variables if isinstance(v, TypeVarType) and is_dimension(v)]

    def argument(self, index: int) -> Expression | None:
        """The expression given for a parameter, if one is."""
        return self.args[index][0] if index < len(self.args) and self.args[index] else None

    def parameter_name(self, index: int) -> str:
        """The name of a parameter, or its number."""
        return self.signature.arg_names[index] or f"argument {index + 1}"

    def fill_in(self, t: Type) -> Type:
        """A type of the signature with the sizes that are known put in."""
        return normalise(expand_type(t, self.found), self.named) if self.found else t

    def fail(self, message: str, at: Context | None, code: ErrorCode) -> None:
        """An error about this call."""
        self.api.fail(f"{self.name}: {message}", at or self.context, code=code)


def callee_name(signature: CallableType, written: str) -> str:
    """`step of Train`, as mypy has it, is `Train.step`; a class's `__call__` is the class.

    A function in a variable has no name: it is what is written at the call.
    """
    name, _, owner = (signature.name or written or "call").replace('"', "").partition(" of ")
    if not owner:
        return name
    return owner if name == "__call__" else f"{owner}.{name}"
