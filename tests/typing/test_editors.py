"""The page about editors: its program is checked, and its message is what mypy says."""

from __future__ import annotations

import re
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


def test_the_settings_are_those_of_this_project() -> None:
    (settings,) = blocks("toml")
    own = tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(settings)["tool"]["mypy"].items() <= own["tool"]["mypy"].items()
