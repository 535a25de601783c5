"""What the sources promise of themselves: who imports whom, documentation, size, no code execution, a test each."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import bendtorch

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "bendtorch"
SOURCES: Final = sorted(PACKAGE.rglob("*.py"))
PLUGIN: Final = "mypy_plugin"

ORDER: Final = (
    ("errors",),
    ("shapes",),
    ("keys",),
    ("kernels",),
    ("ops",),
    ("optim",),
    ("layer",),
    ("layers", "combine"),
    ("losses",),
    ("grad",),
    ("laws",),
    ("train",),
    ("profiling",),
    ("checkpoint",),
    ("rewrite",),
    ("models",),
    ("generate",),
    ("cli",),
    ("pytest_plugin", "__main__"),
)
RANK: Final = {name: rank for rank, names in enumerate(ORDER) for name in names}

AGAINST_THE_ORDER: Final[dict[tuple[str, str], str]] = {}
"""Arrows that are allowed although they point the wrong way: (file, imported module) and the reason."""

WITHOUT_A_TEST: Final = {
    "kernels/arrays.py": "names of types, which hold nothing at run time",
    "__main__.py": "the command of tests/cli; the README's test runs it",
}
"""Files without a mirrored test. `__init__.py` files re-export, which is tested here; the plugin has its own suite."""

LINES_OF_A_FILE: Final = 300
LINES_OF_A_FUNCTION: Final = 60

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def named(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


EACH_SOURCE: Final = pytest.mark.parametrize("path", SOURCES, ids=named)


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, at its top, inside of functions and for type checkers alike."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{named(path)}: imports are absolute"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "bendtorch")


def part_of(module: str) -> str | None:
    """The part of the package that a module belongs to: `bendtorch.layers.linear` is of `layers`."""
    names = module.split(".")
    return names[1] if names[0] == "bendtorch" and len(names) > 1 else None


def own_part(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


@EACH_SOURCE
def test_imports_follow_the_order(path: Path) -> None:
    own = own_part(path)
    if own == "__init__":
        return  # it re-exports, so it stands above everything
    for module in imports(path):
        other = part_of(module)
        if other is None or other == own or (named(path), module) in AGAINST_THE_ORDER:
            assert module != "bendtorch", f"{named(path)} imports the whole package"
            continue
        assert PLUGIN not in (own, other), f"{named(path)} imports {module}: the plugin stands alone"
        assert RANK[other] < RANK[own], f"{named(path)} imports {module}, against the order"


def test_every_part_has_a_place_in_the_order() -> None:
    parts = {own_part(path) for path in SOURCES} - {"__init__", PLUGIN}
    assert parts <= RANK.keys()


def test_exceptions_are_still_needed() -> None:
    for file, module in AGAINST_THE_ORDER:
        assert module in set(imports(PACKAGE / file))
    for file in WITHOUT_A_TEST:
        assert (PACKAGE / file).exists()


def test_torch_is_imported_only_under_reference() -> None:
    for folder in ("bendtorch", "tests", "laws", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            banned = (
                "torch",
                "transformers",
                *(() if path.is_relative_to(ROOT / "tests" / "reference") else ("reference",)),
            )
            found = [m for node in ast.walk(tree_of(path)) for m in _modules(node) if m.split(".")[0] in banned]
            assert found == [], f"{path.relative_to(ROOT)} imports {found}"


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


ONLY_IN: Final = {
    "numba": ("kernels/",),
    "llvmlite": ("kernels/",),
    "beartype": ("shapes/checked.py",),
    "jaxtyping": ("shapes/checked.py", "shapes/arrays.py"),
    "safetensors": ("checkpoint/",),
    "mypy": ("mypy_plugin/",),
}
"""Libraries that one place in the package wraps for all others."""


@EACH_SOURCE
def test_libraries_are_used_where_they_belong(path: Path) -> None:
    for module in imports(path):
        places = ONLY_IN.get(module.split(".")[0])
        assert places is None or named(path).startswith(places), f"{named(path)} imports {module}"


def test_one_wrapper_makes_every_kernel() -> None:
    for path in SOURCES:
        attributes = [node.attr for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)]
        uses = {"njit", "jit", "vectorize"} & set(attributes)
        assert not uses or named(path) == "kernels/compile.py", f"{named(path)} compiles by itself"


@EACH_SOURCE
def test_nothing_executes_data(path: Path) -> None:
    """No pickle, eval, exec, allow_pickle."""
    for module in imports(path):
        assert module.split(".")[0] not in (
            "builtins",
            "pickle",
            "_pickle",
            "marshal",
            "shelve",
            "dill",
            "cloudpickle",
            "joblib",
        )
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Name):
            assert node.id not in ("eval", "exec", "compile", "__import__"), f"{named(path)}:{node.lineno}"
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("exec", "load_module"), f"{named(path)}:{node.lineno}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "eval":
            assert not node.args, f"{named(path)}:{node.lineno}"  # a layer's eval() takes nothing
        if isinstance(node, ast.keyword):
            assert node.arg != "allow_pickle", f"{named(path)}:{node.lineno}"


def overloaded(node: FunctionNode) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)


def public_definitions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef | FunctionNode]]:
    """Public classes and functions of a module, and public methods of public classes."""
    for node in body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) or node.name.startswith("_"):
            if isinstance(node, ast.If):
                yield from public_definitions([*node.body, *node.orelse], prefix)
            continue
        if isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from public_definitions(node.body, f"{prefix}{node.name}.")
        elif not overloaded(node):
            yield prefix + node.name, node


@EACH_SOURCE
def test_everything_public_is_documented(path: Path) -> None:
    tree = tree_of(path)
    assert ast.get_docstring(tree), f"{named(path)} has no docstring"
    for name, node in public_definitions(tree.body):
        assert ast.get_docstring(node), f"{named(path)}: {name} has no docstring"


@EACH_SOURCE
def test_files_and_functions_are_short(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LINES_OF_A_FILE, f"{named(path)} has {lines} lines"
    for node in ast.walk(tree_of(path)):
        if isinstance(node, FunctionNode):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= LINES_OF_A_FUNCTION, f"{named(path)}: {node.name} has {length} lines"


@EACH_SOURCE
def test_every_file_has_its_test(path: Path) -> None:
    name = path.relative_to(PACKAGE)
    if path.name == "__init__.py" or name.parts[0] == PLUGIN or named(path) in WITHOUT_A_TEST:
        return
    assert (ROOT / "tests" / name.with_name(f"test_{path.name}")).exists(), f"{named(path)} has no test"


def test_every_mirrored_test_has_its_file() -> None:
    """A file that was moved takes its test along."""
    mirrored = {own_part(path) for path in SOURCES if path.parent != PACKAGE} - {PLUGIN}
    alone = {
        "cli/test_main.py": "the command's own arguments, in cli/__init__.py",
        "laws/test_mistakes.py": "ten mistakes in a layer of one's own, through all of laws",
        "checkpoint/test_memory.py": "what the files of params and train take",
        "checkpoint/test_resume.py": "whole runs, through optim, train and checkpoint",
        "checkpoint/test_tied.py": "shared parameters in the files of params and train",
        "train/test_train_collect.py": "micro-batches and clipping, in train/train.py",
        "train/test_train_over.py": "gradients in the place of logits, in train/train.py",
    }
    for part in mirrored:
        for path in (ROOT / "tests" / part).rglob("test_*.py"):
            name = path.relative_to(ROOT / "tests")
            source = PACKAGE / name.with_name(path.name.removeprefix("test_"))
            assert source.exists() or name.as_posix() in alone, f"{name} tests a file that is not there"


def test_the_public_names() -> None:
    assert len(set(bendtorch.__all__)) == len(bendtorch.__all__)
    assert all(hasattr(bendtorch, name) for name in bendtorch.__all__)
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree_of(PACKAGE / "__init__.py"))  # for type checkers; at run time they are loaded late
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bendtorch")
        for alias in node.names
    }
    assert imported == set(bendtorch.__all__)
    assert set(bendtorch.__all__) <= set(dir(bendtorch))
    with pytest.raises(AttributeError, match="module 'bendtorch' has no attribute 'nothing'"):
        _ = bendtorch.nothing  # type: ignore[attr-defined]


def test_importing_the_package_loads_none_of_it() -> None:
    """mypy loads its plugin from the package at every start."""
    code = "import sys, bendtorch.mypy_plugin; print('numba' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("path", [p for p in SOURCES if p.name == "__init__.py"], ids=named)
def test_every_name_that_a_part_offers_is_there(path: Path) -> None:
    if PLUGIN in path.parts:
        return
    module = importlib.import_module(".".join(path.parent.relative_to(ROOT).parts))
    assert all(hasattr(module, name) for name in getattr(module, "__all__", []))


def test_every_name_that_the_documents_import_is_there() -> None:
    for document in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        text = document.read_text(encoding="utf-8")
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and node.module == "bendtorch":
                    missing = {alias.name for alias in node.names} - set(bendtorch.__all__)
                    assert not missing, f"{document.name} imports {missing}"


def test_every_layer_loss_and_optimizer_is_public() -> None:
    from bendtorch import combine, layers, losses, optim

    offered = {*layers.__all__, *combine.__all__, *losses.__all__, "SGD", "Momentum", "Adam", "AdamW"}
    assert offered <= set(bendtorch.__all__)
    assert offered - set(layers.__all__) - set(combine.__all__) - set(losses.__all__) <= set(optim.__all__)
