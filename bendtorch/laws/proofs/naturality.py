"""That the combinators' passes hand values on, pair and add them, and do nothing else: why symbols are enough.

The sources of the passes are read. Beyond tuples and their parts they may call the passes of layers, guards, and the
sums, products, zeros and concatenations that stand below; they may not calculate, compare or branch. Whoever needs more
adds it here, and with it to what the proofs must understand.

In `Repeat`, whatever is done for a copy must not depend on how many there are: then what holds of one copy after any
others, which is proved, holds of each by induction.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from typing import Any, Final

from bendtorch.laws.proofs.setting import Setting
from bendtorch.laws.proofs.terms import Value, one
from bendtorch.laws.proofs.theorem import Sides, Theorem

MODULES: Final = (
    "bendtorch.layer.chain",
    "bendtorch.combine.arithmetic",
    "bendtorch.combine.both",
    "bendtorch.combine.fork",
    "bendtorch.combine.repeat",
    "bendtorch.combine.tie",
    "bendtorch.combine.wiring",
)
GUARDS: Final = frozenset({"guard_mat", "guard_pair", "guard_backward", "_copies"})
ON_VALUES: Final = frozenset({"add_gradients", "add", "multiply", "empty_mat", "np.broadcast_to", "np.float32", "cast"})
OF_LAYERS: Final = frozenset({"f.fwd", "g.fwd", "first.fwd", "second.fwd", "mid.fwd", "last.fwd", "layer.fwd"})
BACK: Final = frozenset(name.replace("fwd", "bwd") for name in OF_LAYERS) | {"layers[place].bwd"}
WIRES: Final = frozenset({"forward", "back"})  # the functions that `wire` makes a layer of
BUILDING: Final = frozenset({"Fwd", "Bwd", "tuple", "list", "zip", "range", "reversed", "saved.append"})
ALLOWED: Final = GUARDS | ON_VALUES | OF_LAYERS | BACK | WIRES | BUILDING

CALCULATING: Final = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.If, ast.IfExp, ast.While, ast.AugAssign)


def passes_in(source: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions inside of a module's combinators, each with the combinator's name."""
    for outer in ast.parse(source).body:
        if isinstance(outer, ast.FunctionDef):
            for inner in outer.body:
                if isinstance(inner, ast.FunctionDef):
                    yield outer.name, inner


def calculations(function: ast.FunctionDef) -> list[str]:
    """What a pass does beside handing values on."""
    found = []
    for node in ast.walk(ast.Module(function.body, [])):
        if isinstance(node, CALCULATING):
            found.append(f"`{ast.unparse(node).splitlines()[0]}`")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) not in ALLOWED:
            found.append(f"a call of `{ast.unparse(node.func)}`")
    return found


def counts_used(function: ast.FunctionDef, count: str = "k") -> list[str]:
    """Where the bodies of a pass's loops speak of how many rounds there are."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For)]
    names = [node for loop in loops for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Name)]
    return [f"{node.id} in line {node.lineno}" for node in names if node.id == count]


def _source(module: str) -> str:
    return inspect.getsource(importlib.import_module(module))


def _only_hand_on(s: Setting) -> Iterator[Sides]:
    for module in MODULES:
        for combinator, inner in passes_in(_source(module)):
            if inner.name == "each":  # of `repeated`: it moves numbers of parameters, not values
                continue
            yield f"{inner.name} of {combinator}", {"calculates": _told(calculations(inner))}, {"calculates": ()}


def _uniform(s: Setting) -> Iterator[Sides]:
    for combinator, inner in passes_in(_source("bendtorch.combine.repeat")):
        if combinator == "Repeat":
            yield f"the loop of {inner.name}", {"uses k": _told(counts_used(inner))}, {"uses k": ()}


def _told(found: list[Any]) -> Value:
    return tuple(one(text) for text in found)


THEOREMS: Final = (
    Theorem("Lemma", "the combinators' passes only hand on, pair and add values", _only_hand_on, "their sources"),
    Theorem("Lemma", "a round of Repeat's loops does not depend on k", _uniform, "its source"),
)
