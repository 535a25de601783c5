"""Running mypy on the case files: cold, from a warm cache, after an edit, and under its daemon.

The files are copied first, so that an edit touches nothing of the repository. A line that must be reported carries the
exact text: `# E: message  [code]` for an error, `# N: message` for a note, several in a row if need be.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SETTINGS = """[mypy]
strict = True
plugins = bendtorch.mypy_plugin
mypy_path = {root}
cache_dir = {root}/cache
namespace_packages = True
explicit_package_bases = True
show_error_codes = True
pretty = False
"""
LINE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+): (?P<kind>error|note): (?P<text>.*)")
MARK = re.compile(r"# ([EN]): (.*?)(?=\s*# [EN]: |$)")

Reports = dict[str, dict[int, list[str]]]
"""What was reported: by file (relative to the root) and line, sorted."""


class Project:
    """A copy of files in a directory of its own, with its own settings, cache and daemon."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "mypy.ini").write_text(SETTINGS.format(root=root.as_posix()))

    def check(self, targets: Sequence[str]) -> Reports:
        """Run mypy."""
        return self._run(["-m", "mypy", "--config-file", "mypy.ini", "--no-error-summary", *targets])

    def check_by_daemon(self, targets: Sequence[str]) -> Reports:
        """Run mypy's daemon, which is started on the first run."""
        daemon = ["-m", "mypy.dmypy", "--status-file", "dmypy.json"]
        return self._run(
            [*daemon, "run", "--timeout", "300", "--", "--config-file", "mypy.ini", "--no-error-summary", *targets]
        )

    def stop_daemon(self) -> None:
        """End the daemon if it runs."""
        if (self.root / "dmypy.json").exists():
            self._call(["-m", "mypy.dmypy", "--status-file", "dmypy.json", "kill"])

    def _run(self, command: Sequence[str]) -> Reports:
        done = self._call(command)
        reports: Reports = defaultdict(lambda: defaultdict(list))
        for line in done.stdout.splitlines():
            if line in ("Daemon started", "Success: no issues found in 1 source file"):
                continue
            found = LINE.fullmatch(line)
            assert found, f"mypy said: {done.stdout}\n{done.stderr}"
            kind = "E" if found["kind"] == "error" else "N"
            reports[Path(found["file"]).as_posix()][int(found["line"])].append(f"{kind}: {found['text']}")
        assert done.returncode in (0, 1), f"mypy failed: {done.stdout}\n{done.stderr}"
        return {name: {line: sorted(texts) for line, texts in lines.items()} for name, lines in reports.items()}

    def _call(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False, timeout=600)


def expected(path: Path) -> dict[int, list[str]]:
    """What a case file says must be reported, by line."""
    marks = {
        number: sorted(f"{kind}: {text}" for kind, text in MARK.findall(line))
        for number, line in enumerate(path.read_text().splitlines(), 1)
    }
    return {number: texts for number, texts in marks.items() if texts}


@pytest.fixture(scope="session")
def expectation() -> Callable[[Path], dict[int, list[str]]]:
    """Reads the marks of a case file."""
    return expected


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """An empty project."""
    made = Project(tmp_path)
    yield made
    made.stop_daemon()


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Reports]]:
    """The reports on all case files in a mode; each mode is run once."""
    targets = ["accept", "reject", "support"]
    root = tmp_path_factory.mktemp("cases")
    for target in targets:
        shutil.copytree(HERE / target, root / target, ignore=shutil.ignore_patterns("__pycache__"))
    cases = Project(root)

    def edit() -> None:
        for path in root.glob("[ars]*/*.py"):
            path.write_text(f"{path.read_text()}# edited\n")

    @cache
    def in_mode(mode: str) -> Reports:
        match mode:
            case "cold":
                return cases.check(targets)
            case "warm":
                in_mode("cold")
                return cases.check(targets)
            case "edited":
                in_mode("warm")
                edit()
                return cases.check(targets)
            case "daemon":
                return cases.check_by_daemon(targets)
            case "daemon, edited":
                in_mode("daemon")
                edit()
                return cases.check_by_daemon(targets)
        raise ValueError(mode)

    yield in_mode
    cases.stop_daemon()
