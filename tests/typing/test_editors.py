"""The page about editors: its program is checked, and its message is what mypy says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.typing.harness import Project

PAGE = Path(__file__).parents[2] / "docs" / "editors.md"


def blocks(language: str) -> list[str]:
    """The code blocks in a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


def test_the_portable_program(project: Project) -> None:
    (program,) = blocks("python")
    project.write("program.py", program)
    last = len(program.splitlines())
    message = blocks("")[-1].strip().removeprefix("error: ")
    assert project.check(["program.py"]) == {"program.py": {last: [f"E: {message}"]}}


def test_pyright_checks_the_portable_program_without_a_plugin(tmp_path: Path) -> None:
    (program,) = blocks("python")
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "basedpyright",
            "--level",
            "error",
            "--pythonpath",
            sys.executable,
            "--outputjson",
            path,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert [(one["severity"], one["range"]["start"]["line"] + 1) for one in found] == [
        ("error", len(program.splitlines()))
    ]
    assert "Mat[Rows, Hidden]" in found[0]["message"]
    assert "Mat[Rows, Inputs]" in found[0]["message"]


def test_the_settings_are_those_of_this_project() -> None:
    (settings,) = blocks("toml")
    own = tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(settings)["tool"]["mypy"].items() <= own["tool"]["mypy"].items()
