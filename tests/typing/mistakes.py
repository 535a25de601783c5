"""`docs/mistakes.md`, and the README's table of mistakes, from the case file of the same name.

python -m tests.typing.mistakes     writes both
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.typing.harness import MARK, expected

CASES: Final = Path(__file__).parent / "reject" / "mistakes.py"
PAGE: Final = Path(__file__).parents[2] / "docs" / "mistakes.md"
README: Final = Path(__file__).parents[2] / "README.md"
TABLE_STARTS: Final = "<!-- mistakes -->"
TABLE_ENDS: Final = "<!-- end of mistakes -->"
OPENING: Final = """\
# Mistakes

What mypy says about ten typical mistakes, with the plugin and no other settings. `bendtorch check` adds the source
line, a caret under the argument, and for a chain its layers with the sizes between them. These texts are under test:
each example is a case in `tests/typing/reject/mistakes.py`.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join([OPENING, *_sections()])


def _sections() -> Iterator[str]:
    source = CASES.read_text(encoding="utf-8")
    lines, reports = source.splitlines(), expected(CASES)
    for function in ast.parse(source).body:
        if isinstance(function, ast.FunctionDef):
            assert function.end_lineno is not None
            title, _, text = (ast.get_docstring(function) or "").partition("\n\n")
            first = function.body[1].lineno - 1
            code = textwrap.dedent("\n".join(_plain(line) for line in lines[first : function.end_lineno]))
            if function.args.args:
                code = f"{lines[function.lineno - 1]}\n{textwrap.indent(code, '    ')}"
            said = [
                f"{text[3:]}" for number in range(first, function.end_lineno) for text in reports.get(number + 1, ())
            ]
            yield _section(title.rstrip("."), " ".join(text.split()), code, said)


def readme(text: str) -> str:
    """The README with its table of mistakes: each title with its first message."""
    head, rest = text.split(TABLE_STARTS)
    tail = rest.split(TABLE_ENDS)[1]
    return f"{head}{TABLE_STARTS}\n{_table()}{TABLE_ENDS}{tail}"


def _table() -> str:
    rows = ["| mistake | what mypy says |", "|---|---|"]
    for section in _sections():
        title = section.splitlines()[0].removeprefix("## ")
        message = next(line for line in section.splitlines() if line.startswith("error: "))
        rows.append(f"| {title} | `{message.removeprefix('error: ')}` |")
    return "\n".join(rows) + "\n"


def _plain(line: str) -> str:
    """A line without what must be reported on it."""
    return MARK.split(line)[0].rstrip()


def _section(title: str, text: str, code: str, said: list[str]) -> str:
    messages = "\n".join(f"error: {message}" for message in said)
    wrapped = "\n".join(textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False))
    return f"## {title}\n\n```python\n{code}\n```\n\n```\n{messages}\n```\n\n{wrapped}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
