"""`bendtorch laws`: the matrix, the paragraphs, the exit status, the list of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendtorch.cli import main

MODULE = "tests.support.models"
OWN = """
from bendtorch import ReLU
from tests.support.mutants import affine, mutant

broken = mutant("g is overwritten")

def fails(n, c):
    return ReLU(n, c // 0)

def refuses(n, c):
    return ReLU(0 * n, -1)
"""


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)


def words(text: str) -> list[list[str]]:
    return [line.replace("│", " ").replace("┃", " ").split() for line in text.splitlines() if line.strip()]


def test_laws_that_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["laws", "bendtorch:ReLU", f"{MODULE}:layer", "--only", "L31, L33,L32", "--cases", "5"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = words(out)
    assert lines[0] == ["law", "ReLU", "layer"]
    assert [(line[0], line[-2:]) for line in lines[2:5]] == [
        ("L31", ["≈", "·"]),
        ("L32", ["·", "="]),
        ("L33", ["=", "="]),
    ]
    assert lines[-1] == ["all", "4", "laws", "hold", "(2", "layers)"]


def test_a_broken_law(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["laws", "own.py:broken", "--cases", "10", "--skip", "L31"]) == 1
    out = capsys.readouterr().out
    assert "breaks L32 (gradients accumulate; exact)" in out
    assert out.rstrip().endswith("1 broken (1 layer)")
    assert "L31" not in out


def test_given_sizes_are_the_only_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["laws", f"{MODULE}:mlp(3)", "--only", "L31,L33", "--cases", "3"]) == 0
    assert "·" in capsys.readouterr().out.splitlines()[2]


def test_the_projects_list(capsys: pytest.CaptureFixture[str]) -> None:
    text = '[tool.bendtorch]\nlaws = ["bendtorch:ReLU", { layer = "bendtorch:Tanh", only = "L33", cases = 3 }]\n'
    Path("pyproject.toml").write_text(text)
    assert main(["laws", "--cases", "4"]) == 0
    lines = words(capsys.readouterr().out)
    assert lines[0] == ["law", "ReLU", "Tanh"]
    held = [line for line in lines[2:] if line[0] == "L33"]
    assert held[0][-2:] == ["=", "="]


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["laws", "own:broken", "--only", "L32", "--cases", "10", "--html", "laws.html"]) == 1
    assert capsys.readouterr().out.endswith("written to laws.html\n")
    assert "breaks L32" in Path("laws.html").read_text(encoding="utf-8")
    assert main(["laws", "bendtorch:ReLU", "--only", "L33", "--html", "no/such/place.html"]) == 2
    assert "bendtorch laws: cannot write no/such/place.html" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "name a layer as module:name, or list some in pyproject.toml: [tool.bendtorch] laws = [...]"),
        (["own:nothing"], "module own has no 'nothing'"),
        (["own:fails"], "own:fails failed (ZeroDivisionError: integer division or modulo by zero, "),
        (["own:refuses"], "laws: refuses(n, c) refuses every size that was drawn; the last time with: "),
        (["bendtorch:ReLU", "--only", "L99"], "laws: there is no law 'L99' to check on a layer"),
        (["bendtorch:ReLU", "--cases", "0"], "laws: cases must be an int of at least 1, got 0"),
        ([f"{MODULE}:NUMBER"], "laws: expected a layer, or a function of sizes that builds one, got 3"),
    ],
)
def test_what_cannot_be_checked(capsys: pytest.CaptureFixture[str], arguments: list[str], text: str) -> None:
    assert main(["laws", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"bendtorch laws: {text}")
