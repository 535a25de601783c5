"""The laws in a project's pyproject.toml as tests of pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.process import environment

LAYERS = """
from bendtorch import ReLU
from tests.support.mutants import mutant

broken = mutant("g is overwritten")
fine = ReLU
"""
PROJECT = """
[tool.pytest.ini_options]
testpaths = ["tests"]

[tool.bendtorch]
laws = [
    { layer = "own:broken", only = ["L32", "L33"], cases = 10 },
    { layer = "own:fine", only = ["L32", "L33"], cases = 5 },
]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(LAYERS)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_other.py").write_text("def test_other() -> None:\n    pass\n")
    return tmp_path


def run(directory: Path, *arguments: str) -> str:
    """What pytest prints; the plugin is named, as it may not be installed, and only once."""
    plugin = ("-p", "no:bendtorch", "-p", "bendtorch.pytest_plugin", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *plugin, "-rA", "--tb=short", *arguments]
    done = subprocess.run(command, cwd=directory, env=environment(), capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_laws_are_collected_beside_the_tests(project: Path) -> None:
    out = run(project)
    assert "PASSED tests/test_other.py::test_other" in out
    assert "FAILED pyproject.toml::own:broken::L32" in out
    assert "PASSED pyproject.toml::own:broken::L33" in out
    assert "PASSED pyproject.toml::own:fine::L33" in out
    assert "L32 does not apply: it has no parameters" in out
    assert "1 failed, 3 passed, 1 skipped" in out
    assert "breaks L32 (gradients accumulate; exact)" in out
    assert "Traceback" not in out


def test_what_is_named_is_collected_alone(project: Path) -> None:
    assert "1 passed" in run(project, "tests")
    assert "1 failed, 2 passed, 1 skipped" in run(project, "pyproject.toml")
    assert "1 failed in" in run(project, "pyproject.toml::own:broken::L32")


def test_from_another_directory_the_root_is_looked_in(project: Path) -> None:
    assert "1 failed, 2 passed, 1 skipped" in run(project / "tests", "../pyproject.toml")


def test_several_processes_share_them(project: Path) -> None:
    assert "1 failed, 3 passed, 1 skipped" in run(project, "-n", "2")


def test_a_list_at_fault_is_an_error_that_says_so(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.bendtorch]\nlaws = [{ layer = "own:fine", skips = "L31" }]\n')
    out = run(project)
    assert "there is no 'skips'; there are layer, only, skip, claims, cases, seed" in out
    assert "Traceback" not in out
    (project / "pyproject.toml").write_text('[tool.bendtorch]\nlaws = ["own:nothing"]\n')
    assert "module own has no 'nothing'" in run(project)


def test_a_project_without_a_list_loads_nothing(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\nname = "own"\nversion = "1"\ndependencies = ["bendtorch"]\n')
    (project / "tests" / "test_other.py").write_text(
        "import sys\n\ndef test_other() -> None:\n    assert 'numba' not in sys.modules\n"
    )
    assert "1 passed" in run(project)
