"""Running mypy on files, and reading what it must report from marks in them.

A line that must be reported carries the
exact text: `# E: message  [code]` for an error, `# N: message` for a note, several in a row if need be.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

STUBS = Path(__file__).parents[2] / "stubs"
SETTINGS = """[mypy]
strict = True
plugins = {plugin}
mypy_path = {root}:{stubs}
cache_dir = {root}/cache
namespace_packages = True
explicit_package_bases = True
show_error_codes = True
pretty = False
"""
LINE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+): (?P<kind>error|note): (?P<text>.*)")
MARK = re.compile(r"# ([EN]): (.*?)(?=\s*# [EN]: |$)")

Reports: TypeAlias = dict[str, dict[int, list[str]]]
"""What was reported: by file (relative to the root) and line, sorted."""


class Project:
    """A copy of files in a directory of its own, with its own settings, cache and daemon."""

    def __init__(self, root: Path, plugin: str = "bendtorch.mypy_plugin") -> None:
        self.root, self.clock = root, 1_700_000_000
        (root / "mypy.ini").write_text(SETTINGS.format(root=root.as_posix(), stubs=STUBS.as_posix(), plugin=plugin))

    def write(self, name: str, text: str) -> None:
        """Write a file, later than any before: the daemon looks at whole seconds to tell what has changed."""
        path = self.root / name
        path.write_text(text)
        self.clock += 10
        os.utime(path, (self.clock, self.clock))

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
