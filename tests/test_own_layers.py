"""The guide to a layer of one's own: its two errors and its matrix are those that one gets."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from bendtorch.laws import check
from bendtorch.laws.settings import read_suites
from tests.support.process import ROOT, environment

TEXT = (ROOT / "docs" / "own_layers.md").read_text(encoding="utf-8")
FENCED: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
LAYER = next(block for kind, block in FENCED if kind == "python" and "def Swish" in block)


def bendtorch(directory: Path, source: str, *command: str) -> str:
    """What a command prints of the layer in a file."""
    (directory / "swish.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "bendtorch", *command],
        cwd=directory,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def changed(old: str, new: str) -> str:
    assert LAYER.count(old) == 1
    return LAYER.replace(old, new)


def shown(start: str) -> str:
    (block,) = (block for kind, block in FENCED if not kind and block.startswith(start))
    return block


def test_mypys_error_is_the_one_that_is_shown(tmp_path: Path) -> None:
    out = bendtorch(tmp_path, changed("column_sums", "row_sums"), "check", "swish.py")
    assert out.startswith(shown("swish.py:18"))


def test_the_laws_error_is_the_one_that_is_shown(tmp_path: Path) -> None:
    out = bendtorch(tmp_path, changed("gate + bend * p", "gate + bend"), "laws", "swish.py:Swish")
    assert " ".join(shown("Swish(1, 1) breaks L27").split()) in out


def test_the_matrix_is_the_one_that_is_shown(tmp_path: Path) -> None:
    out = bendtorch(tmp_path, LAYER, "laws", "swish.py:Swish")
    lines = [line.rstrip() for line in out.splitlines()]
    assert [line.rstrip() for line in shown("law ┃").splitlines() if line != "…"] == [
        line for line in lines if line[:3] in ("law", "━━━", "L24", "L25", "L26", "L27", "L69", "= h", "all")
    ]
    assert "all 20 laws hold" in bendtorch(tmp_path, LAYER, "laws", "swish.py:Swish", "--claims", "L52")


def test_the_list_in_pyproject_can_be_read(tmp_path: Path) -> None:
    (block,) = (block for kind, block in FENCED if kind == "toml")
    (tmp_path / "pyproject.toml").write_text(block, encoding="utf-8")
    assert [suite.target for suite in read_suites(tmp_path / "pyproject.toml")] == [
        "mymodels.swish:Swish",
        "mymodels.heads:Heads",
    ]


@pytest.mark.parametrize("text", ["half the derivative everywhere", "divided by the number of rows"])
def test_what_it_quotes_is_what_a_diagnosis_says(text: str) -> None:
    source = (ROOT / "tests" / "laws" / "test_mistakes.py").read_text(encoding="utf-8")
    assert text in " ".join(TEXT.split())
    assert text in source


@pytest.mark.parametrize("name", ["Lines", "LogCosh"])
def test_the_other_examples_obey_their_laws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next(block for kind, block in FENCED if kind == "python" and f"def {name}" in block)
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)  # where a dataclass looks for its module
    exec(compile(source, name, "exec"), module.__dict__)
    assert str(check(getattr(module, name), cases=20)).startswith(f"laws of {name}(n, c)")
