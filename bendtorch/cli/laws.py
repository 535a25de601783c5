"""`bendtorch laws module:layer…`: the matrix of laws of one's own layers, and a paragraph on each broken one."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bendtorch.cli.laws_page import page
from bendtorch.cli.target import find_maker, run
from bendtorch.errors import BendError, ConfigError
from bendtorch.laws.check import examine
from bendtorch.laws.matrix import BROKEN, LEGEND, SILENT, mark, rows, verdict
from bendtorch.laws.report import Report
from bendtorch.laws.settings import FILE, Suite, read_suites

WIDTH: Final = 120
STYLES: Final = {BROKEN: "bold red", SILENT: "dim"}


def laws(targets: Sequence[str], html: str | None = None, **options: Any) -> int:
    """Check the laws of layers and print the matrix; gives 0 when all hold, 1 when one is broken.

    A target is `module:name` or a file's path for the module: a layer, a loss, an optimizer, or a function of sizes;
    `module:name(2, 3)` is the layer of these sizes alone. Without targets those of the pyproject.toml are checked.
    `options` are those of `check`; they win over those of the file. `html` names a file for the same as a page.
    """
    reports = [_report(suite, options) for suite in _suites(targets)]
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(matrix(reports))
    console.print(Text(", ".join(f"{sign} {meaning}" for sign, meaning in LEGEND), "dim"))
    for failure in (failure for report in reports for failure in report.told):
        console.print()
        console.print(Text(str(failure)), soft_wrap=True)
    console.print(Text(verdict(reports)))
    if html is not None:
        _write(Path(html), page(reports))
    return 1 if any(report.failures for report in reports) else 0


def _suites(targets: Sequence[str]) -> Sequence[Suite]:
    """What to check: the targets, or the list of the project."""
    suites = [Suite(target, {}) for target in targets] or read_suites(Path(FILE))
    if not suites:
        raise ConfigError(f"name a layer as module:name, or list some in {FILE}: [tool.bendtorch] laws = [...]")
    return suites


def _report(suite: Suite, options: Mapping[str, Any]) -> Report:
    """The report on one target. What its function raises is said with the place, as an error of the command."""
    maker = find_maker(suite.target)
    found: Report | BendError = run(f"{suite.target} failed", lambda: _examined(maker, {**suite.options, **options}))
    if isinstance(found, BendError):
        raise found
    return Report(suite.target.rsplit(":", 1)[1], found.outcomes)


def _examined(maker: Any, options: Mapping[str, Any]) -> Report | BendError:
    try:
        return examine(maker, **options)
    except BendError as error:
        return error


def matrix(reports: Sequence[Report]) -> Table:
    """The laws of each layer as a table."""
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("law", no_wrap=True)
    table.add_column("", no_wrap=True)
    for report in reports:
        table.add_column(report.layer, justify="center")
    for number, name, outcomes in rows(reports):
        marks = [mark(outcome) for outcome in outcomes]
        table.add_row(number, name, *(Text(sign, STYLES.get(sign, "green")) for sign in marks))
    return table


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {path} ({error})") from error
    sys.stdout.write(f"written to {path}\n")
