"""`stride: Dim[STRIDE] = 1`, where the variable STRIDE is 1 by default: the one number that fits every call.

A call that leaves the parameter out has the size of the variable's default, and the function gets the same number. To
mypy 1 is no STRIDE, so the plugin drops its complaint where the two are equal. A message tells no more than its place,
so the number is looked up in the file's own tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from mypy.nodes import FuncDef, IntExpr, MypyFile, SymbolTableNode, TypeVarExpr

from bendtorch.mypy_plugin.types import poly_of
from bendtorch.mypy_plugin.walk import everything

COMPLAINT: Final = re.compile(
    r'Incompatible default for \w+ "\w+" \(default has type "int", \w+ has type "(\w+)( \| None)?"\)'
)
Lookup = Callable[[str], SymbolTableNode | None]


class Defaults:
    """The whole numbers that are defaults of parameters. `lookup` finds a module's names, `modules` are mypy's own."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self.modules: dict[str, MypyFile] = {}

    def fits(self, file: str, line: int, column: int, message: str) -> bool:
        """Whether a message is about a default that is its dimension variable's own."""
        complaint = COMPLAINT.fullmatch(message)
        if complaint is None:
            return False
        return any(
            self._size(module, complaint[1]) == number
            for module in self.modules.values()
            if module.path == file
            for number in _numbers(module, line, column)
        )

    def _size(self, module: MypyFile, name: str) -> int | None:
        """The number that is a dimension variable's default."""
        symbol = self.lookup(f"{module.fullname}.{name}")
        variable = symbol.node if symbol is not None else None
        size = poly_of(variable.default) if isinstance(variable, TypeVarExpr) else None
        return None if size is None else size.value


def _numbers(module: MypyFile, line: int, column: int) -> Iterator[int]:
    """The whole number that is a parameter's default at a place of a file, if there is one."""
    for statement in everything(module.defs):
        if isinstance(statement, FuncDef):
            for argument in statement.arguments:
                number = argument.initializer
                if isinstance(number, IntExpr) and (number.line, number.column) == (line, column):
                    yield number.value
