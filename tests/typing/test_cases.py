"""Every case file says exactly what it must, in every way that mypy can be run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.typing.harness import Reports, expected

HERE = Path(__file__).parent
ACCEPT = sorted((HERE / "accept").glob("*.py")) + sorted((HERE / "support").glob("*.py"))
REJECT = sorted((HERE / "reject").glob("*.py"))
MODES = ["cold", "warm", "edited", "daemon", "daemon, edited"]


def name(path: Path) -> str:
    return path.relative_to(HERE).as_posix()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", ACCEPT, ids=name)
def test_nothing_is_reported(path: Path, mode: str, reports: Callable[[str], Reports]) -> None:
    assert reports(mode).get(name(path), {}) == {}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", REJECT, ids=name)
def test_exactly_the_marked_lines_are_reported(path: Path, mode: str, reports: Callable[[str], Reports]) -> None:
    assert reports(mode).get(name(path)) == expected(path)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_else_is_reported(mode: str, reports: Callable[[str], Reports]) -> None:
    assert set(reports(mode)) == set(map(name, REJECT))


@pytest.mark.parametrize("path", REJECT, ids=name)
def test_messages_are_in_the_users_words(path: Path) -> None:
    texts = [text for line in expected(path).values() for text in line]
    assert texts
    for text in texts:
        assert not any(word in text for word in ("ndarray", "Literal", "_32Bit", "Mul[", "Add[", "bendtorch.", "Never"))


def test_there_are_enough_cases() -> None:
    assert sum(len(expected(path)) for path in REJECT) >= 300
