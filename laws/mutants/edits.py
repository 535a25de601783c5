"""Faults, as edits of a syntax tree: what people get wrong in a pass, planted wherever it can be.

Each kind is a function from a node to what may stand in its place by mistake. Checks of arguments, messages and
descriptions are left alone, and so is what builds a layer: they are not what laws are about.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

Wrong = Iterator[ast.AST]

SWAPPED_PRODUCTS: Final = {"matmul_nt": "matmul_nn", "matmul_nn": "matmul_nt", "matmul_tn": "matmul_nn"}
TURNED: Final = {*SWAPPED_PRODUCTS, "gemm", "gemm_add", "matmul_tn_add"}
BOUND: Final[dict[type, Any]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
NEGATED: Final[dict[type, Any]] = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
GIVEN: Final = {"y": "x", "dx": "dy", "total": "first"}  # what a result would be written over
COMMUTING: Final = {"", "min", "max", "maximum", "fma"}  # in their first two arguments; or not called by a name
SIMPLE: Final = (ast.Name, ast.Subscript, ast.Attribute)


def _dropped(node: ast.AST) -> Wrong:
    """A term of a sum, or a factor, is forgotten."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        yield node.left
        if not isinstance(node.op, ast.Sub):
            yield node.right


def _swapped(node: ast.AST) -> Wrong:
    """Two operands, or the first two arguments of a call, change places."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.MatMult)):
        yield ast.BinOp(node.right, node.op, node.left)
    if isinstance(node, ast.Call) and _name(node) not in COMMUTING and len(node.args) > 1:
        first, second, *rest = node.args
        if isinstance(first, SIMPLE) and isinstance(second, SIMPLE):
            yield ast.Call(node.func, [second, first, *rest], node.keywords)


def _sign(node: ast.AST) -> Wrong:
    """Plus for minus, minus for plus."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.operand
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        yield ast.AugAssign(node.target, ast.Sub(), node.value)


def _not_accumulated(node: ast.AST) -> Wrong:
    """A sum that is overwritten."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Mult)):
        yield ast.Assign([node.target], node.value, lineno=node.lineno)


def _transposed(node: ast.AST) -> Wrong:
    """A product of other sides, a matrix that is not turned."""
    if isinstance(node, ast.Call) and _name(node) in SWAPPED_PRODUCTS:
        yield ast.Call(ast.Name(SWAPPED_PRODUCTS[_name(node)], ast.Load()), node.args, node.keywords)
    if isinstance(node, ast.Call) and _name(node) in TURNED:
        for i, flag in enumerate(node.args):
            if isinstance(flag, ast.Constant) and isinstance(flag.value, bool):
                yield ast.Call(node.func, [*node.args[:i], ast.Constant(not flag.value), *node.args[i + 1 :]], [])
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield node.value


def _off_by_one(node: ast.AST) -> Wrong:
    """One less at the end of a loop, one more at its beginning, a bound itself or not."""
    if isinstance(node, ast.Call) and _name(node) == "range":
        end = 0 if len(node.args) == 1 else 1
        less = ast.BinOp(node.args[end], ast.Sub(), ast.Constant(1))
        yield ast.Call(node.func, [*node.args[:end], less, *node.args[end + 1 :]], [])
        if end:
            yield ast.Call(node.func, [ast.BinOp(node.args[0], ast.Add(), ast.Constant(1)), *node.args[1:]], [])
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in BOUND:
        yield ast.Compare(node.left, [BOUND[type(node.ops[0])]()], node.comparators)


def _wrong_index(node: ast.AST) -> Wrong:
    """The first for the second, row for column, a slice that begins one later."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in (0, 1, 2):
        yield ast.Subscript(node.value, ast.Constant(int(node.slice.value == 0)), node.ctx)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        yield ast.Subscript(node.value, ast.Tuple(node.slice.elts[::-1], ast.Load()), node.ctx)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.lower is not None:
        later = ast.BinOp(node.slice.lower, ast.Add(), ast.Constant(1))
        yield ast.Subscript(node.value, ast.Slice(later, node.slice.upper, node.slice.step), node.ctx)


def _left_out(node: ast.AST) -> Wrong:
    """A step that is forgotten: what it would have filled is what was there before."""
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    stores = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    if is_call or stores or isinstance(node, ast.AugAssign):
        yield ast.Pass()


def _in_place(node: ast.AST) -> Wrong:
    """A result that is written over the input."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name):
        given = GIVEN.get(node.targets[0].id)
        if given is not None and _name(node.value) in ("empty_mat", "empty_places"):
            yield ast.Assign(node.targets, ast.Name(given, ast.Load()), lineno=node.lineno)


def _other_branch(node: ast.AST) -> Wrong:
    """A condition that is the wrong way round; the smaller for the larger."""
    if isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    if isinstance(node, ast.If) and not isinstance(node.body[0], ast.Raise):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in NEGATED:
        yield ast.Compare(node.left, [NEGATED[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.Call) and _name(node) in ("min", "max"):
        yield ast.Call(ast.Name("max" if _name(node) == "min" else "min", ast.Load()), node.args, [])


def _another_number(node: ast.AST) -> Wrong:
    """A constant that is twice as large, or 1 for 0."""
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield ast.Constant(node.value * 2 if node.value else 1.0)
    elif isinstance(node, ast.Name) and node.id in ("ONE", "ZERO") and isinstance(node.ctx, ast.Load):
        yield ast.Name("ZERO" if node.id == "ONE" else "ONE", ast.Load())


KINDS: Final[dict[str, Callable[[ast.AST], Wrong]]] = {
    "dropped term": _dropped,
    "swapped operand": _swapped,
    "sign": _sign,
    "missing accumulation": _not_accumulated,
    "transposed product": _transposed,
    "off by one": _off_by_one,
    "wrong index": _wrong_index,
    "stale buffer": _left_out,
    "mutated input": _in_place,
    "other branch": _other_branch,
    "another number": _another_number,
}


def _name(call: ast.Call) -> str:
    """The name of a called function; empty where it is no name."""
    return call.func.id if isinstance(call.func, ast.Name) else ""


@dataclass(frozen=True)
class Edit:
    """One fault in one function of a module: node number `place` of its tree becomes the mistake number `turn`."""

    module: str
    function: str
    line: int
    kind: str
    place: int
    turn: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """The fault without its line, which moves."""
        module = self.module.removeprefix("bendtorch.")
        return f"{module} {self.function}: {self.kind}: {self.before} -> {self.after}"

    def __str__(self) -> str:
        return f"{self.key}  (line {self.line})"


def edits_in(
    module: str, name: str, function: ast.FunctionDef, nodes: Iterator[ast.AST], tree: ast.Module
) -> list[Edit]:
    """Every fault of every kind in some nodes of a function."""
    numbers = {id(node): i for i, node in enumerate(ast.walk(tree))}
    found = []
    for node in nodes:
        for kind, wrong in KINDS.items():
            for turn, other in enumerate(wrong(node)):
                before, after = (_text(one) for one in (node, other))
                if before != after:
                    line = getattr(node, "lineno", function.lineno)
                    found.append(Edit(module, name, line, kind, numbers[id(node)], turn, before, after))
    return found


def _text(node: ast.AST) -> str:
    """The first line of a node's source."""
    first, *rest = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()
    return f"{first} ..." if rest else first


def applied(edit: Edit, tree: ast.Module) -> ast.Module:
    """A copy of the tree with the fault in it."""
    other = copy.deepcopy(tree)
    node = next(n for i, n in enumerate(ast.walk(other)) if i == edit.place)
    wrong = list(KINDS[edit.kind](node))[edit.turn]

    class Replace(ast.NodeTransformer):
        def visit(self, visited: ast.AST) -> Any:
            return ast.copy_location(wrong, node) if visited is node else self.generic_visit(visited)

    changed: ast.Module = Replace().visit(other)
    return ast.fix_missing_locations(changed)
