"""What is written about the laws: the table in docs/laws.md, and the laws that each layer, loss and optimizer obeys.

    python -m laws.written        writes both; the tests fail where it would change something

A docstring's laws are the paragraph that begins with `Laws:`. They are those that `check` compares on the layer's line
in the registry; what is said behind the list, after a semicolon, is kept.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from bendtorch.laws import ELSEWHERE, LAWS, Law, examine
from bendtorch.laws.catalogue import place_of, shown_numbers
from laws.registry import COMBINATORS, LAYERS, LOSSES, OPTIMIZERS, Entry, of

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "laws.md"
CASES: Final = 100
AGAIN: Final = "run python -m laws.written"
WIDTH: Final = 120
PARAGRAPH: Final = re.compile(r"^([ ]+)Laws: (.*?)(?=\n\s*\n|\n[ ]*\"\"\"|\"\"\")", re.MULTILINE | re.DOTALL)


def entries() -> Mapping[str, Entry]:
    """What has laws in its docstring, by its name."""
    everything = {**LAYERS, **COMBINATORS, **LOSSES, **OPTIMIZERS}
    return {name: entry for name, entry in everything.items() if hasattr(of, name)}


def listed(function: Callable[..., Any]) -> str:
    """The laws that a docstring lists."""
    found = PARAGRAPH.search(f'    {inspect.getdoc(function)}"""'.replace("\n", "\n    "))
    return "" if found is None else " ".join(found[2].split()).rstrip(".").split(";", 1)[0]


def rewritten(source: str, name: str, numbers: str) -> str:
    """The source of a module with other laws in the docstring of one of its functions or classes."""
    start = re.search(rf"^(?:def|class) {name}\b", source, re.MULTILINE)
    if start is None:
        raise SystemExit(f"{name}: not in its module")
    head, body = source[: start.start()], source[start.start() :]
    end = body.index('"""', body.index('"""') + 3) + 3
    found = PARAGRAPH.search(body, 0, end)
    if found is None:
        raise SystemExit(f"{name}: its docstring has no paragraph that begins with `Laws:`")
    indent, text = found[1], " ".join(found[2].split()).rstrip(".")
    rest = text.split(";", 1)
    whole = f"Laws: {numbers}{';' + rest[1] if len(rest) > 1 else ''}."
    lines = textwrap.fill(whole, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return head + body[: found.start()] + lines + body[found.end() :]


def rows() -> Iterator[str]:
    """The table of all laws."""
    yield "| law | | says | strength | of | applies when |"
    yield "|---|---|---|---|---|---|"
    rest = [
        (law.number, f"| {law.number} | {law.name} | {law.statement} | — | — | {law.why}; {law.where} |")
        for law in ELSEWHERE
    ]
    here = [(law.number, _row(law)) for law in LAWS]
    yield from (row for _, row in sorted([*here, *rest], key=lambda pair: place_of(pair[0])))


def _row(law: Law) -> str:
    names = ", ".join(f"`{name}`" for name in law.of)
    of_what = names or ("any layer" if law.subjects[0] == "layer" else f"any {law.subjects[0]}")
    strength = f"{law.strength}, proved" if law.proved else law.strength
    return f"| {law.number} | {law.name} | {law.statement} | {strength} | {of_what} | {law.when} |"


def page(text: str) -> str:
    """The page with the table as it should be."""
    lines = text.splitlines()
    table = [i for i, line in enumerate(lines) if line.startswith("|")]
    return "\n".join([*lines[: table[0]], *rows(), *lines[table[-1] + 1 :]]) + "\n"


def main() -> None:
    """Write all of it."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for name, entry in entries().items():
        path = Path(sys.modules[getattr(of, name).__module__].__file__ or "")
        text = path.read_text(encoding="utf-8")
        obeyed = shown_numbers(examine(entry.maker, skip=entry.exempt, cases=CASES).applied)
        path.write_text(rewritten(text, name, obeyed), encoding="utf-8")


if __name__ == "__main__":
    main()
