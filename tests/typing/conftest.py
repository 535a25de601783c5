"""The case files, run through mypy: cold, from a warm cache, after an edit, and under its daemon."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.typing.harness import Project, Reports

HERE = Path(__file__).parent
TARGETS = ["accept", "reject", "support"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An empty project."""
    made = Project(tmp_path)
    yield made
    made.stop_daemon()


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Reports]]:
    """The reports on all case files in a mode; each mode is run once.

    The files are copied first, so that an edit touches nothing of the repository.
    """
    root = tmp_path_factory.mktemp("cases")
    for target in TARGETS:
        shutil.copytree(HERE / target, root / target, ignore=shutil.ignore_patterns("__pycache__"))
    cases = Project(root)

    def edit() -> None:
        for path in root.glob("[ars]*/*.py"):
            cases.write(path.relative_to(root).as_posix(), f"{path.read_text()}# edited\n")

    @cache
    def in_mode(mode: str) -> Reports:
        match mode:
            case "cold":
                return cases.check(TARGETS)
            case "warm":
                in_mode("cold")
                return cases.check(TARGETS)
            case "edited":
                in_mode("warm")
                edit()
                return cases.check(TARGETS)
            case "daemon":
                return cases.check_by_daemon(TARGETS)
            case "daemon, edited":
                in_mode("daemon")
                edit()
                return cases.check_by_daemon(TARGETS)
        raise ValueError(mode)

    yield in_mode
    cases.stop_daemon()
