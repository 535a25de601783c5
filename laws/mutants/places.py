"""Where faults are planted: in the passes, kernels and steps that compute, not in what builds and checks them."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import bendtorch
from laws.mutants.edits import Edit, edits_in

PACKAGE: Final = Path(bendtorch.__file__).parent

MODULES: Final = {
    "layers": """activation attention avg_pool2d conv2d dropout embedding layer_norm linear linear_first linear_nb
        log_softmax max_pool2d padded_attention rms_norm rope softmax""",
    "losses": "cross_entropy mse nll",
    "combine": "arithmetic both fork gradients repeat reshaping tie wiring",
    "layer": "chain counter describe pair",
    "optim": "at clip state step",
    "kernels": """activation attention_backward attention_columns attention_forward attention_grid attention_rooms
        attention_tiles avg_pool2d bfloat16
        conv2d cross_entropy dropout embedding exp_rows flat labels layer_norm linear log_softmax max_pool2d mse nll
        optimizer panels parallel products rms_norm rope rows softmax windows""",
}
"""The modules, by their part of the package."""

CUTTING: Final = {
    "kernels.attention_grid.run_count": "how many runs there are",
    "kernels.conv2d._cut": "how many windows a block has",
    "kernels.exp_rows.rows_of_panel": "how many rows a panel has",
    "kernels.products._half": "the side of a tile",
    "kernels.products._tiles_for": "how many tiles there are",
    "kernels.products.halved": "the sides of a tile",
    "kernels.products.tile_shape": "the sides of a tile",
    "kernels.rows.rows_of_chunk": "how many rows a chunk has",
}
"""Functions that only decide how work is cut, on which no result may depend (that they cover the work is proved)."""

STARTING: Final = {"layers.linear.linear_params": "the width of the distribution that weights are drawn from"}
"""Functions that only say what parameters start from: laws are about any parameters."""

BUILDING: Final = ("guard_", "refuse_", "require", "check", "cast", "Error", "wrong", "_copies", "isinstance", "_spec")
BUILDING_CALLS: Final = {"Info", "Leaf", "Params", "make_layer", "np.issubdtype", "getattr", "hasattr", "type", "len"}
"""Calls that check or describe."""


CHECKS: Final = ("guard", "refuse", "require", "check")
"""What the names of functions that only check begin with: what they refuse is tested, but is no law's concern."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    """The modules and their syntax trees."""
    for part, names in MODULES.items():
        for name in names.split():
            source = (PACKAGE / part / f"{name}.py").read_text(encoding="utf-8")
            yield f"bendtorch.{part}.{name}", ast.parse(source)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module and the methods of its classes, each with its name."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))


def computing(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes that compute: of a function that builds a layer, those of its passes."""
    passes = [node for node in function.body if isinstance(node, ast.FunctionDef)]
    for statement in passes or function.body:
        yield from _inside(statement)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.arguments, ast.Assert)) or _builds(node):
        return
    if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
        for statement in node.orelse:
            yield from _inside(statement)
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _builds(node.value):
        return
    yield node
    for field, child in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for one in child if isinstance(child, list) else [child]:
                if isinstance(one, ast.AST):
                    yield from _inside(one)


def _builds(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func)
    return name in BUILDING_CALLS or any(mark in name for mark in BUILDING)


def chosen_edits(most: int, only: str = "") -> list[Edit]:
    """The faults to plant: in each function at most so many, of different kinds, picked by their texts."""
    return [
        edit
        for module, tree in trees()
        if any(part in module for part in only.split(","))
        for name, function in functions(tree)
        if f"{module.removeprefix('bendtorch.')}.{name}" not in {**CUTTING, **STARTING}
        if not name.rpartition(".")[2].lstrip("_").startswith(CHECKS)
        for edit in _some(edits_in(module, name, function, computing(function), tree), most)
    ]


def _some(edits: list[Edit], most: int) -> list[Edit]:
    """At most so many, one of a kind: the kinds that a function has are as likely as each other."""
    by_kind = {edit.kind: edit for edit in sorted(edits, key=lambda edit: _lot(f"{edit.key} {edit.turn}"))}
    kinds = sorted(by_kind, key=lambda kind: _lot(f"{by_kind[kind].module} {by_kind[kind].function} {kind}"))
    return [by_kind[kind] for kind in kinds[:most]]


def _lot(text: str) -> bytes:
    """A number drawn from what is said, not from where it stands: it stays when lines above it change."""
    return hashlib.sha256(text.encode()).digest()
