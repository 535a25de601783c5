"""That kernels take their indices from the functions that are proved, and from nowhere else: their sources are read.

The number of a chunk is the first argument of a kernel that `parallel_for` runs. It may only go into the functions that
say what belongs to it, its working space among this, be the index of a result of its own (`totals[chunk]`), or be
taken apart as the number of a tile on a grid (`block // across`, `block % across`). And attention's passes take the
places of q, k, v, y and their gradients from the tile's panels alone, so what is proved of these holds for both.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Final

from bendtorch.laws.proofs.setting import Setting
from bendtorch.laws.proofs.terms import Value, one
from bendtorch.laws.proofs.theorem import Sides, Theorem

KERNELS: Final = "bendtorch.kernels"
BOUNDS: Final = ("chunk_bounds", "tile_bounds", "run_bounds", "key_place", "room_at", "first_column", "key_head")
PASSES: Final = ("attention_forward", "attention_backward")
PANELS: Final = ("query_panel", "key_panel")
ARRAYS: Final = ("q", "k", "v", "y", "dy", "dq", "dk", "dv")


def bodies(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The kernels of a module that `parallel_for` runs."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    names = {ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func) == "parallel_for"}
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in names)


def strange_uses(body: ast.FunctionDef) -> list[str]:
    """What a kernel does with the number of its chunk that nothing is proved of."""
    number = body.args.args[0].arg
    inside = ast.walk(ast.Module(body.body, []))
    uses = ((node, child) for node in inside for child in ast.iter_child_nodes(node) if _names(child, number))
    return [f"`{ast.unparse(node).splitlines()[0]}`" for node, child in uses if not _is_known(node, child)]


def _names(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_known(node: ast.AST, child: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in BOUNDS
    if isinstance(node, ast.Subscript):
        return node.slice is child
    if isinstance(node, ast.BinOp) and node.left is child:
        return isinstance(node.op, (ast.FloorDiv, ast.Mod))
    return False


def strange_places(tree: ast.Module) -> list[str]:
    """Where a pass takes a task's array otherwise than by a tile's panel."""
    panels = {id(call.args[0]) for call in ast.walk(tree) if isinstance(call, ast.Call) and _is_panel(call)}
    taken = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ARRAYS)
    return [f"`{ast.unparse(node)}`" for node in taken if ast.unparse(node.value) == "task" and id(node) not in panels]


def _is_panel(call: ast.Call) -> bool:
    return ast.unparse(call.func) in PANELS


def _tree(name: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(f"{KERNELS}.{name}")))


def _chunks(s: Setting) -> Iterator[Sides]:
    for module in pkgutil.iter_modules(importlib.import_module(KERNELS).__path__):
        for body in bodies(_tree(module.name)):
            found = strange_uses(body)
            yield (
                f"{body.name} of {module.name}.py",
                {"does with its number": _told(found)},
                {"does with its number": ()},
            )


def _panels(s: Setting) -> Iterator[Sides]:
    for name in PASSES:
        yield f"{name}.py", {"takes besides": _told(strange_places(_tree(name)))}, {"takes besides": ()}


def _told(found: list[str]) -> Value:
    return tuple(one(text) for text in found)


THEOREMS: Final = (
    Theorem("Lemma", "chunks take their bounds from the functions that are proved", _chunks, "the kernels' sources"),
    Theorem("Lemma", "both passes of attention take heads from the same panels", _panels, "their sources"),
)
