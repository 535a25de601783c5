"""Sizes that stand in a signature only inside of arithmetic: `f(x: Mat[N, "4*D"])` with `Mat[3, 128]` has D = 32.

mypy's inference cannot look into arithmetic; here the equation between the parameter's size and the argument's is
solved where it has one unknown.
"""

from __future__ import annotations

from mypy.expandtype import expand_type
from mypy.types import Instance, TupleType, Type, TypeVarId, TypeVarType, get_proper_type

from bendtorch.mypy_plugin.call import Call
from bendtorch.mypy_plugin.poly import Poly
from bendtorch.mypy_plugin.queries import is_arithmetic
from bendtorch.mypy_plugin.show import show
from bendtorch.mypy_plugin.types import OPERATORS, Through, has_arithmetic, normalise, poly_of, type_of, unknown
from bendtorch.mypy_plugin.vocabulary import BEND_DIM


def solve_hidden(call: Call) -> None:
    """Find the sizes that stand only inside of arithmetic, and put them into `call.found`."""
    places = _Places()
    for t in call.signature.arg_types:
        t.accept(places)
    hidden = {v.id: v.name for v in call.dimensions if v.id in places.inside - places.plain and v.id not in call.found}
    if not hidden:
        return
    solver = _Solver(call, set(hidden))
    for index, t in enumerate(call.signature.arg_types):
        argument = call.argument(index)
        if argument is not None and has_arithmetic(get_proper_type(t)):
            solver.match(t, call.api.get_expression_type(argument))
    for variable, name in hidden.items():
        if variable not in call.found:
            tried = f" ({', '.join(solver.tried)})" if solver.tried else ""
            call.fail(f"size {name} cannot be found from the arguments{tried}", None, BEND_DIM)
            call.found[variable] = unknown()


class _Places(Through):
    """The type variables that stand outside of arithmetic, and those inside."""

    def __init__(self) -> None:
        super().__init__()
        self.plain: set[TypeVarId] = set()
        self.inside: set[TypeVarId] = set()
        self.depth = 0

    def visit_type_var(self, t: TypeVarType) -> Type:
        """Note where it stands."""
        (self.inside if self.depth else self.plain).add(t.id)
        return t

    def visit_instance(self, t: Instance) -> Type:
        """Count how deep in arithmetic we are."""
        inside = t.type.fullname in OPERATORS
        self.depth += inside
        super().visit_instance(t)
        self.depth -= inside
        return t


class _Solver:
    """Matches parameter types against argument types."""

    def __init__(self, call: Call, hidden: set[TypeVarId]) -> None:
        self.call, self.hidden = call, hidden
        self.tried: list[str] = []

    def match(self, formal: Type, actual: Type) -> None:
        """Walk both types side by side, to the arithmetic."""
        formal, actual = get_proper_type(formal), get_proper_type(actual)
        if is_arithmetic(formal):
            self._solve(formal, actual)
        elif isinstance(formal, Instance) and isinstance(actual, Instance) and len(formal.args) == len(actual.args):
            for one, other in zip(formal.args, actual.args, strict=True):
                self.match(one, other)
        elif isinstance(formal, TupleType) and isinstance(actual, TupleType) and len(formal.items) == len(actual.items):
            for one, other in zip(formal.items, actual.items, strict=True):
                self.match(one, other)

    def _solve(self, formal: Type, actual: Type) -> None:
        self.tried.append(f"{show(formal)} = {show(actual)}")
        left = poly_of(normalise(expand_type(formal, self.call.found), self.call.named))
        right = poly_of(actual)
        if left is None or right is None or len(left.terms) != 1:
            return
        ((monomial, factor),) = left.terms
        open_ = [a for a in monomial if isinstance(a.payload, TypeVarType) and self._is_open(a.payload.id)]
        if len(open_) != 1:
            return
        rest = list(monomial)
        rest.remove(open_[0])
        quotient = right.exact_quotient(Poly(((tuple(rest), factor),)))
        variable = open_[0].payload
        if quotient is not None and isinstance(variable, TypeVarType):
            self.call.found[variable.id] = type_of(quotient, self.call.named)

    def _is_open(self, variable: TypeVarId) -> bool:
        return variable in self.hidden and variable not in self.call.found
