"""The page: well-formed, self-contained, with a counterexample behind each broken cell."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from bendtorch import ReLU
from bendtorch.cli.laws_page import page
from bendtorch.laws import Report, examine
from tests.support.mutants import mutant

relu: Any = ReLU
BROKEN = examine(mutant("g is overwritten"), only=["L31", "L32", "L33"], cases=10)
PAGE = page([examine(relu, only=["L32", "L33"], cases=5), BROKEN])
VOID = {"meta"}


class Elements(HTMLParser):
    """The open elements, and every one that was closed in the wrong order."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Open it, unless it has no end."""
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the last one that is open."""
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append(tag)


def test_elements_are_closed_in_order() -> None:
    elements = Elements()
    elements.feed(PAGE)
    assert (elements.stack, elements.wrong) == ([], [])


def test_nothing_is_loaded() -> None:
    assert not re.search(r"<(script|link|img|iframe)|src=|url\(|https?:", PAGE)


def test_a_broken_cell_leads_to_its_counterexample() -> None:
    (anchor,) = re.findall(r'<a href="#([^"]+)">✗</a>', PAGE)
    assert PAGE.count(f'id="{anchor}"') == 1
    (failure,) = BROKEN.failures
    assert "g = Lin(weight=" in PAGE
    assert "bwd adds into the arrays of g (+=)" in PAGE
    assert failure.repeat.replace('"', "&quot;") in PAGE


def test_what_a_cell_stands_for() -> None:
    assert 'title="does not apply: it has no parameters">·<' in PAGE
    assert 'title="exact on 5 cases">=<' in PAGE
    assert "3 laws hold, 1 broken (2 layers)." in PAGE


def test_names_are_escaped() -> None:
    text = page([Report('<b>"&', BROKEN.outcomes)])
    assert "<b>" not in text
    assert "&lt;b&gt;" in text
