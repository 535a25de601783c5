"""The laws' own test, a sample of it: mistakes are planted as they should be, and the laws find them.

`make mutants` plants all of them.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from laws.mutants.edits import KINDS, Edit, applied, edits_in
from laws.mutants.places import computing, functions, trees
from laws.mutants.report import Result, summary

ROOT = Path(__file__).parents[1]

SOURCE = """
def f(x, dy, y, g):
    {}
"""

MISTAKES = [
    ("dropped term", "y = x + dy", ["x", "dy"]),
    ("swapped operand", "y = x - dy", ["dy - x"]),
    ("swapped operand", "multiply(x, dy, y)", ["multiply(dy, x, y)"]),
    ("sign", "y = x + dy", ["x - dy"]),
    ("sign", "g += dy", ["g -= dy"]),
    ("missing accumulation", "g += dy", ["g = dy"]),
    ("transposed product", "matmul_nt(x, dy, y)", ["matmul_nn(x, dy, y)"]),
    ("transposed product", "y = x @ g.T", ["g"]),
    ("off by one", "for i in range(1, n): y = i", ["range(1, n - 1)", "range(1 + 1, n)"]),
    ("off by one", "y = x if j < i else dy", ["j <= i"]),
    ("wrong index", "y = x[1]", ["x[0]"]),
    ("wrong index", "y = x[i, j]", ["x[j, i]"]),
    ("wrong index", "y = x[low:high]", ["x[low + 1:high]"]),
    ("stale buffer", "fill(y, x)", ["pass"]),
    ("stale buffer", "y[i] = x[i]", ["pass"]),
    ("mutated input", "y = empty_mat(n, c)", ["y = x"]),
    ("other branch", "y = x if causal else dy", ["dy if causal else x"]),
    ("other branch", "y = min(x, dy)", ["max(x, dy)"]),
    ("another number", "y = 0.5 * x", ["1.0"]),
]


def edits(tree: ast.Module) -> list[Edit]:
    ((name, function),) = functions(tree)
    return edits_in("module", name, function, computing(function), tree)


@pytest.mark.parametrize(("kind", "line", "after"), MISTAKES)
def test_mistakes(kind: str, line: str, after: list[str]) -> None:
    found = [edit for edit in edits(ast.parse(SOURCE.format(line))) if edit.kind == kind]
    assert [edit.after for edit in found] == after


def test_every_kind_has_a_mistake() -> None:
    assert {kind for kind, _, _ in MISTAKES} == set(KINDS)


def test_a_fault_is_one_edit() -> None:
    tree = ast.parse(SOURCE.format("y = x - dy * x"))
    texts = [ast.unparse(applied(edit, tree)).splitlines()[-1].strip() for edit in edits(tree)]
    assert texts == ["y = x", "y = dy * x - x", "y = x + dy * x", "y = x - dy", "y = x - x"]


CHECKS = ("x = guard_mat(x, (n, 2 * c), name, 'x')", "raise ShapeError(f'{n - 1}')", "info = Info(n - 1)")


@pytest.mark.parametrize("line", CHECKS)
def test_checks_and_descriptions_are_left_alone(line: str) -> None:
    assert edits(ast.parse(SOURCE.format(line))) == []


def test_only_the_passes_of_a_builder_are_meant() -> None:
    builder = SOURCE.format("c = n - 1\n    def fwd(x):\n        return x - 1")
    assert [edit.before for edit in edits(ast.parse(builder))] == ["x - 1"] * 3


def test_there_are_enough_faults() -> None:
    found = [
        edit
        for module, tree in trees()
        for name, function in functions(tree)
        for edit in edits_in(module, name, function, computing(function), tree)
    ]
    assert len(found) >= 1000
    assert {edit.kind for edit in found} == set(KINDS)


def test_summaries() -> None:
    results = [
        Result("a", "sign", "L24 L26, ReLU"),
        Result("b", "sign", "an error, ReLU"),
        Result("c", "sign", "stopped, SIGXCPU"),
        Result("d", "sign", ""),
        Result("e", "sign", ""),
    ]
    text, failed = summary(results, {"e": "it changes nothing"}, whole=True)
    assert failed
    assert "5 faults: 3 found, 1 change no result, 1 missed" in text
    assert "75.0% of those that change a result are found" in text
    assert "laws that find them: L24 1, L26 1" in text
    assert "missed: d" in text
    assert not summary(results[:3], {}, whole=True)[1]
    assert "said to change no result, but found: a" in summary(results, {"a": "wrong"}, whole=False)[0]
    assert "no longer planted: z" in summary(results, {"z": "gone"}, whole=True)[0]


def test_the_laws_find_a_sample_of_them() -> None:
    options = ["--sample=12", "--cases=8", "--of=ReLU,RMSNorm", "--only=activation,rms_norm"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "laws.mutants", *options]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 faults: " in done.stdout
    assert " 0 missed" in done.stdout
