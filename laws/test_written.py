"""What is written about the laws: the page, and the lists in docstrings, which `test_laws` compares."""

from __future__ import annotations

from laws.written import AGAIN, PAGE, page, rewritten


def test_the_page_lists_every_law() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, AGAIN


def test_only_the_list_is_rewritten() -> None:
    source = "".join(
        f'def {name}():\n    """Of {name}.\n\n    Laws: {text}.\n    """\n\n\n'
        for name, text in (("A", "L1, L2; L2 sometimes"), ("B", "L3"))
    )
    assert rewritten(source, "A", "L24") == source.replace("L1, L2", "L24")
    assert rewritten(source, "B", "L24, L25") == source.replace("L3", "L24, L25")
