"""`bendtorch check FILE…`: mypy with the shapes plugin, without any settings of one's own."""

from __future__ import annotations

import configparser
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

PLUGIN: Final = "bendtorch.mypy_plugin"
SETTINGS: Final = f"[mypy]\nstrict = True\nplugins = {PLUGIN}\n"
CACHE: Final = Path(".mypy_cache", "bendtorch")  # apart from the user's own, whose settings differ
FAILED: Final = 2
INDENT: Final = "    "
PLACES: Final = (
    *("--no-error-summary", "--no-pretty", "--show-error-codes", "--hide-error-context"),
    *("--show-column-numbers", "--show-error-end", "--enable-error-code", "bend-chain"),
)
"""What makes mypy say where exactly an error is, and the plugin draw the chains that are broken."""

REPORT: Final = re.compile(
    r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+):(?P<last>\d+):(?P<end>\d+): (?P<kind>error|note): (?P<text>.*)"
)
CHAIN: Final = re.compile(r" =/= .* --\w+--> ")


def check(files: Sequence[str]) -> int:
    """Type-check files with `mypy --strict` and the plugin, and print the errors with their source (see `explained`).

    Gives the exit status: 0 when everything fits, 1 when there are errors, 2 when the check could not be made: a file
    or mypy is missing, or mypy itself failed.

    The mypy settings of the current directory are used, made strict, when they name the plugin. Settings that do not
    name it are not read: the plugin and `--strict` are all that is set.
    """
    missing = [file for file in files if not Path(file).exists()]
    if missing:
        return _fail(f"no such file: {', '.join(missing)}")
    if importlib.util.find_spec("mypy") is None:
        return _fail("mypy is not installed; install it with: pip install 'bendtorch[check]'")
    with tempfile.TemporaryDirectory(prefix="bendtorch-") as directory:
        done = subprocess.run(  # noqa: S603  the command is mypy of this interpreter, the files are arguments
            [sys.executable, "-m", "mypy", *_options(Path(directory)), "--", *files],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            encoding="utf-8",
        )
    sys.stdout.write("".join(f"{line}\n" for line in explained(done.stdout.splitlines())))
    if done.returncode not in (0, 1):
        sys.stderr.write(done.stderr)
        return _fail("mypy could not finish; what it said stands above")
    sys.stdout.write(f"{_verdict(done.stdout, len(files))}\n")
    return done.returncode


def _options(directory: Path) -> list[str]:
    """mypy's options; settings are written into `directory` when the user has none with the plugin."""
    own = _own_settings()
    if own is not None:
        return ["--config-file", str(own), "--strict", *PLACES]
    settings = directory / "mypy.ini"
    settings.write_text(SETTINGS, encoding="utf-8")
    return ["--config-file", str(settings), "--cache-dir", str(CACHE), *PLACES]


def explained(report: Iterable[str]) -> Iterator[str]:
    """mypy's report with each error in its one-line form, then its source line, a caret, and the chain it broke.

    model.py:3: error: >>: Linear gives Mat[3, 5], ReLU takes Mat[3, 6]  [bend-shape]
        model = Linear(3, 4, 5) >> ReLU(3, 6)
                                   ^^^^^^^^^^
        Mat[3, 4] --Linear--> Mat[3, 5] =/= Mat[3, 6] --ReLU--> Mat[3, 6]
    """
    sources: dict[str, list[str]] = {}
    for line in report:
        found = REPORT.fullmatch(line)
        if found is None:
            yield line
        elif found["kind"] == "note" and CHAIN.search(found["text"]):
            yield f"{INDENT}{found['text']}"
        else:
            yield f"{found['file']}:{found['line']}: {found['kind']}: {found['text']}"
            if found["kind"] == "error":
                lines = sources.setdefault(found["file"], _lines_of(Path(found["file"])))
                yield from _underlined(lines, *(int(found[part]) for part in ("line", "column", "last", "end")))


def _lines_of(path: Path) -> list[str]:
    """The lines of a source file; none when it cannot be read."""
    try:
        with tokenize.open(path) as file:
            return file.read().splitlines()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return []


def _underlined(lines: Sequence[str], line: int, column: int, last: int, end: int) -> Iterator[str]:
    """A source line without its indentation, and carets under the part from a column to another, both from 1."""
    if not 1 <= line <= len(lines):
        return
    source = lines[line - 1]
    text = source.strip()
    margin = len(source) - len(source.lstrip())
    first = min(max(column - 1 - margin, 0), len(text))
    stop = min(end - margin, len(text)) if last == line else len(text)
    yield f"{INDENT}{text}"
    yield f"{INDENT}{' ' * first}{'^' * max(stop - first, 1)}"


def _own_settings() -> Path | None:
    """The settings file that mypy would read in the current directory, if it names the plugin."""
    for name in ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"):
        section = _mypy_section(Path(name))
        if section is not None:
            return Path(name) if PLUGIN in str(section.get("plugins", "")) else None
    return None


def _mypy_section(path: Path) -> dict[str, Any] | None:
    """The section about mypy of a settings file; None when there is none, or none that can be read."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            section = tomllib.loads(text).get("tool", {}).get("mypy")
            return section if isinstance(section, dict) else None
        parser = configparser.RawConfigParser()
        parser.read_string(text)
        return dict(parser["mypy"]) if parser.has_section("mypy") else None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, configparser.Error):
        return None  # mypy says itself what is wrong with settings that it reads


def _verdict(report: str, count: int) -> str:
    """The last line."""
    errors = [line for line in report.splitlines() if ": error: " in line]
    if not errors:
        return f"bendtorch check: every shape fits ({_counted(count, 'file')} checked)"
    wrong = {line.split(":", 1)[0] for line in errors}
    return f"bendtorch check: {_counted(len(errors), 'error')} in {_counted(len(wrong), 'file')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _fail(problem: str) -> int:
    sys.stderr.write(f"bendtorch check: {problem}\n")
    return FAILED
