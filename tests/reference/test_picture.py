"""The picture of the benchmark: which lines are drawn, and as what."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from reference.bench.picture import draw, drawn, save, share_of_limit
from reference.bench.report import Result
from reference.bench.statistics import Spread


def result(name: str, ratio: float, threads: int | None = 2, flops: float | None = 0.2) -> Result:
    one = Spread(0.9, 1.0, 1.1)
    return Result(
        "row_wise", name, threads, "eager", one, one, Spread(ratio * 0.9, ratio, ratio * 1.1), 1, 1, flops, 0.5, None
    )


LINES = [result("a", 2.0, 1), result("a", 3.0, 2), result("b", 0.5), result("c", 1.5, None, None)]


def test_the_most_threads_are_drawn() -> None:
    assert [(line.name, line.speedup.median) for line in drawn(LINES)] == [("a", 3.0), ("b", 0.5), ("c", 1.5)]


def test_the_larger_share_counts() -> None:
    assert share_of_limit(result("a", 1.0, flops=0.7)) == 0.7
    assert share_of_limit(result("a", 1.0, flops=None)) == 0.5
    assert share_of_limit(dataclasses.replace(LINES[0], share_of_flops=None, share_of_bandwidth=None)) is None


def test_bars_begin_at_pytorch() -> None:
    ratios, shares = draw(LINES, "a machine").axes
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ratios.patches]
    assert bars == [pytest.approx(pair) for pair in ((1.0, 3.0), (1.0, 0.5), (1.0, 1.5))]
    assert [bar.get_width() for bar in shares.patches] == pytest.approx([50.0, 50.0, 50.0])
    assert next(label.get_text() for label in ratios.get_yticklabels()) == "row_wise/a · eager"


def test_a_target_is_a_mark() -> None:
    with_target = draw([result("Softmax forward 4096×128", 1.0)], "").axes[0]
    without = draw([result("a", 1.0)], "").axes[0]
    assert len(with_target.lines) == len(without.lines) + 1


def test_a_picture_is_written(tmp_path: Path) -> None:
    save(LINES, "a machine", tmp_path / "run.svg")
    assert "<svg" in (tmp_path / "run.svg").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="at least one line"):
        draw([], "")
