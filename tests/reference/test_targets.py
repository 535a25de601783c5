"""Targets: their rows exist, the page shows them, a run's figures are judged by them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from reference.bench.many_cores import THREADS, counts, fastest
from reference.bench.many_cores import markdown as many_cores
from reference.bench.registry import families
from reference.bench.targets import TARGETS, Target, markdown, target_of
from tests.support.process import ROOT

PAGE: Final = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
TARGET: Final = Target("work", ("layers/a", "layers/b"), "eager", 2.0, of_bandwidth=0.9)


def line(name: str, ratio: float, share: float | None = None, threads: int | None = 2) -> dict[str, Any]:
    """A line of the results."""
    return {
        "family": "layers",
        "name": name,
        "rival": "eager, fused",
        "threads": threads,
        "ours": {"median": 1.2},
        "speedup": {"median": ratio},
        "share_of_bandwidth": share,
        "share_of_flops": None,
    }


def between(mark: str) -> str:
    """A part of the page."""
    return PAGE.partition(f"<!-- {mark} -->\n")[2].partition(f"\n<!-- end of {mark} -->")[0]


def test_the_page_shows_them() -> None:
    """Filled with figures, its other columns stay."""
    shown, made = ([row.split("|") for row in text.splitlines()] for text in (between("targets"), markdown([])))
    assert [[*row[:4], *row[5:]] for row in shown] == [[*row[:4], *row[5:]] for row in made]


def test_every_target_has_its_rows() -> None:
    pytest.importorskip("torch")  # most families compare with it
    names = {family.name: {f"{family.name}/{row.name}" for row in family.rows} for family in families()}
    for target in TARGETS:
        for row in target.rows:
            family = row.partition("/")[0]
            assert row in names.get(family, {row}), row


@pytest.mark.parametrize(
    ("found", "reached"), [(line("a", 2.0), True), (line("a", 1.9), False), (line("a", 1.9, 0.95), True)]
)
def test_either_will_do(found: dict[str, Any], reached: bool) -> None:
    assert TARGET.reached(found) is reached
    assert str(TARGET) == "≥ 2, or 90 % of the bandwidth"


@pytest.mark.parametrize(("most", "answer"), [(1.5, "yes"), (1.2, "yes"), (1.1, "no")])
def test_a_time(most: float, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = Target("work", ("layers/a",), "", seconds=most)
    monkeypatch.setattr("reference.bench.targets.TARGETS", (target,))
    assert target.reached(line("a", 0.1)) is (answer == "yes")
    assert f"| ≤ {most:g} s | {answer}: 3.00, 1.20 s |" in markdown([line("a", 3.0)])


def test_the_least_of_the_rows_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reference.bench.targets.TARGETS", (TARGET,))
    lines = [line("a", 1.5, 0.95), line("b", 3.0, 0.1), line("b", 0.1, threads=1)]
    assert "| yes: 1.50, 95 % bandwidth |" in markdown(lines)
    assert "| no: 1.00 |" in markdown([line("b", 1.0), *lines[:1]])
    assert "| ≥ 2, or 90 % of the bandwidth |  |" in markdown(lines[:1])
    found = target_of(lines[0])
    assert found is TARGET
    assert target_of(line("c", 1.0)) is None


def test_the_page_has_the_counts_of_chunks() -> None:
    assert between("many cores") == many_cores()


def test_a_large_batch_has_work_for_many_threads() -> None:
    found = dict(counts(64))
    assert all(chunks >= THREADS for work, chunks in found.items() if "product" not in work)
    assert [fastest(chunks, 64) for chunks in (0, 1, 64, 65, 128)] == [1.0, 1.0, 64.0, 32.5, 64.0]
