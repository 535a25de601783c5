"""Broken copies of an example, each with the one line that mypy must say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.typing.harness import Project, Reports


@dataclass(frozen=True)
class Broken:
    """A copy with `old` replaced by `new`, and what mypy must say on the line that then holds `at` (or else `new`)."""

    name: str
    old: str
    new: str
    message: str
    at: str = ""

    @property
    def file(self) -> str:
        """The name of the copy."""
        return f"{self.name}.py"

    def text(self, example: Path) -> str:
        """The copy."""
        source = example.read_text(encoding="utf-8")
        assert source.count(self.old) == 1, self.old
        return source.replace(self.old, self.new)

    def expected(self, example: Path) -> dict[int, list[str]]:
        """What must be reported."""
        text, part = self.text(example), self.at or self.new
        return {text[: text.index(part)].count("\n") + 1: [f"E: {self.message}"]}


def reports(folder: Path, example: Path, copies: Sequence[Broken]) -> Reports:
    """The reports on an example and all its copies, of one run."""
    project = Project(folder)
    (project.root / example.name).write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    for copy in copies:
        (project.root / copy.file).write_text(copy.text(example), encoding="utf-8")
    return project.check([example.name, *(copy.file for copy in copies)])
