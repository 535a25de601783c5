"""`stride: Dim[STRIDE] = 1`, where the variable STRIDE is 1 by default: the one number that fits every call.

A call that leaves the parameter out has the size of the variable's default, and the function gets the same number. To
mypy 1 is no STRIDE, so the plugin drops its complaint where the two are equal. Which numbers stand in a file as
defaults is read when it is parsed: a message tells no more than its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from mypy.nodes import FuncDef, IntExpr, MypyFile, SymbolTableNode, TypeVarExpr

from bendtorch.mypy_plugin.types import poly_of
from bendtorch.mypy_plugin.walk import everything

COMPLAINT: Final = re.compile(
    r'Incompatible default for \w+ "\w+" \(default has type "int", \w+ has type "(\w+)( \| None)?"\)'
)
Lookup = Callable[[str], SymbolTableNode | None]


class Defaults:
    """The whole numbers that are defaults of parameters, by file and place. `lookup` finds a module's names."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self.modules: dict[str, str] = {}
        self.numbers: dict[str, dict[tuple[int, int], int]] = {}

    def read(self, file: MypyFile) -> None:
        """Note those of a file that has been parsed."""
        self.modules[file.path] = file.fullname
        self.numbers[file.path] = {
            (argument.initializer.line, argument.initializer.column): argument.initializer.value
            for statement in everything(file.defs)
            if isinstance(statement, FuncDef)
            for argument in statement.arguments
            if isinstance(argument.initializer, IntExpr)
        }

    def fits(self, file: str, line: int, column: int, message: str) -> bool:
        """Whether a message is about a default that is its dimension variable's own."""
        complaint, number = COMPLAINT.fullmatch(message), self.numbers.get(file, {}).get((line, column))
        if complaint is None or number is None:
            return False
        symbol = self.lookup(f"{self.modules[file]}.{complaint[1]}")
        variable = symbol.node if symbol is not None else None
        size = poly_of(variable.default) if isinstance(variable, TypeVarExpr) else None
        return size is not None and size.value == number
