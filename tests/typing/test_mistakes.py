"""The page about mistakes says what mypy says."""

from __future__ import annotations

from tests.typing.harness import expected
from tests.typing.mistakes import CASES, PAGE, README, page, readme


def test_the_page_is_what_the_cases_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew with: python -m tests.typing.mistakes"


def test_the_readmes_table_is_up_to_date() -> None:
    text = README.read_text(encoding="utf-8")
    assert text == readme(text), "write it anew with: python -m tests.typing.mistakes"


def test_each_of_ten_mistakes_has_one_message() -> None:
    assert [len(texts) for texts in expected(CASES).values()] == [1] * 10
    assert page().count("\n## ") == 10
    for texts in expected(CASES).values():
        assert texts[0][3:] in page()
