"""Sizes written as text: `"4*D"`, `"(N + 1)//2"`. Python's own parser reads them; only + - * // of names pass.

Nothing of mypy is in here: what a name stands for is the caller's business.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Final

from bendtorch.mypy_plugin.poly import Poly

MAX_EXPONENT: Final = 64
"""What is worked out of powers and shifts; no size is larger."""


def parse_size(text: str) -> ast.expr | None:
    """The tree of a size, or None when the text is not one."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if _names(tree) is not None else None


def names_in(text: str) -> list[str]:
    """The (dotted) names in a size, in order; none when the text is not a size."""
    tree = parse_size(text)
    return [] if tree is None else _names(tree) or []


def evaluate(tree: ast.expr, lookup: Callable[[str], Poly]) -> Poly:
    """The polynomial of a parsed size. Raises `ZeroDivisionError`, and whatever `lookup` raises."""
    match tree:
        case ast.Constant(value=int() as value):
            return Poly.number(value)
        case ast.UnaryOp(operand=operand):
            return -evaluate(operand, lookup)
        case ast.BinOp(left=left, op=operator, right=right):
            size = combine(_SIGNS[type(operator)], evaluate(left, lookup), evaluate(right, lookup))
            assert size is not None  # of the four that a text may have
            return size
    name = _dotted(tree)
    if name is None:
        raise ValueError(f"not a size: {ast.dump(tree)}")
    return lookup(name)


def combine(sign: str, left: Poly, right: Poly) -> Poly | None:
    """`left sign right`, for one of + - * // % ** << >>; None where no size is known, as of a power of a sum."""
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "//":
            return left // right
        case "%":
            return left - (left // right) * right
        case "**" | "<<" | ">>":
            return _power_of(sign, left, right.value)
    raise ValueError(f"not an operator of sizes: {sign}")


def _power_of(sign: str, left: Poly, exponent: int | None) -> Poly | None:
    """`left**exponent`, and what shifts by so many bits come to."""
    if exponent is None or not 0 <= exponent <= MAX_EXPONENT or (sign == "**" and len(left.terms) > 1):
        return None
    if sign == "**":
        return math.prod([left] * exponent, start=Poly.number(1))
    two = Poly.number(2**exponent)
    return left * two if sign == "<<" else left // two


_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//"}


def _names(tree: ast.expr) -> list[str] | None:
    """The names in a tree; None when something in it is not arithmetic of sizes."""
    match tree:
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _SIGNS:
            first, second = _names(left), _names(right)
            return None if first is None or second is None else first + second
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _names(operand)
        case ast.Constant(value=value) if type(value) is int:
            return []
    name = _dotted(tree)
    return None if name is None else [name]


def _dotted(tree: ast.expr) -> str | None:
    match tree:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=attribute):
            owner = _dotted(inner)
            return None if owner is None else f"{owner}.{attribute}"
    return None
