"""The page that `bendtorch laws --html` writes: the matrix, and each broken law with its counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from bendtorch.laws.matrix import BROKEN, LEGEND, SILENT, explained, mark, rows, verdict
from bendtorch.laws.report import Failure, Outcome, Report, numbers_of, written

STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --held: #2a8a3e; --broken: #d0342c; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .15rem .7rem; border-bottom: 1px solid var(--line); }
th { text-align: left; } .mark { text-align: center; color: var(--held); }
.broken { color: var(--broken); font-weight: bold; } .silent { opacity: .4; }
a { color: inherit; } dt { font-weight: 600; } pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--line); }
"""


def page(reports: Sequence[Report]) -> str:
    """The whole page; it needs nothing beside itself."""
    legend = ", ".join(f"{sign} {meaning}" for sign, meaning in LEGEND)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Laws</title><style>{STYLE}</style>",
            f"<h1>Laws</h1><p>{escape(verdict(reports))}.</p>",
            *_table(reports),
            f"<p>{escape(legend)}.</p>",
            *(line for report in reports for failure in report.failures for line in _failure(report, failure)),
            "</html>\n",
        ]
    )


def _table(reports: Sequence[Report]) -> Iterator[str]:
    """The matrix, whose broken cells lead to their counterexamples."""
    yield f"<table><tr><th>law</th><th></th>{''.join(f'<th>{escape(report.layer)}</th>' for report in reports)}</tr>"
    for number, name, outcomes in rows(reports):
        cells = (_cell(report, outcome) for report, outcome in zip(reports, outcomes, strict=True))
        yield f"<tr><th>{number}</th><td>{escape(name)}</td>{''.join(cells)}</tr>"
    yield "</table>"


def _cell(report: Report, outcome: Outcome | None) -> str:
    """A sign, and what it stands for where the pointer rests."""
    if outcome is None:
        return "<td></td>"
    sign = mark(outcome)
    kind = {BROKEN: " broken", SILENT: " silent"}.get(sign, "")
    text = f'<a href="#{_anchor(report, outcome.law.number)}">{sign}</a>' if outcome.failure is not None else sign
    return f'<td class="mark{kind}" title="{escape(explained(outcome))}">{text}</td>'


def _anchor(report: Report, number: str) -> str:
    return escape(f"{report.layer}-{number}".replace(" ", ""), quote=True)


def _failure(report: Report, failure: Failure) -> Iterator[str]:
    """One broken law: what it says, where it is broken, and the numbers that show it."""
    law, numbers = failure.law, numbers_of(failure.trial)
    yield f'<h2 id="{_anchor(report, law.number)}">{escape(report.layer)} breaks {law.number}: {escape(law.name)}</h2>'
    yield f"<p>{escape(law.statement)} ({law.strength}).</p><p>{escape(failure.here)}</p>"
    yield f"<p>{escape(failure.advice)}</p>" if failure.advice else ""
    shown = "\n".join(f"{name} = {written(value)}" for name, value in numbers.items())
    yield f"<pre>{escape(str(failure.trial.layer))}\n{escape(shown)}</pre>"
    yield f"<p><code>{escape(failure.repeat)}</code></p>"
