"""The parts of the benchmark that measure nothing: statistics, rows and patterns, the order of blocks, formats."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from reference.bench.limits import Limits
from reference.bench.neighbours import Moment, disturbed, now, others, quietest
from reference.bench.registry import OURS, Contest, Family, Row, matches, select
from reference.bench.report import (
    Result,
    processor,
    results,
    show_others,
    show_share,
    show_speedup,
    show_time,
    table,
    to_json,
)
from reference.bench.statistics import Spread, share, speedup, spread
from reference.bench.timing import Plan, interleave, order, repeats_for

LIMITS = Limits(threads=2, flops=100e9, read=20e9, triad=25e9)
ROW = Row("product", lambda: Contest(lambda: None, {}), flops=50e9, traffic=5e9)
TIMES = {OURS: [1.0, 1.0, 2.0], "eager": [2.0, 3.0, 2.0], "compiled": [1.0, 1.0, 1.0]}


def test_a_spread_is_the_quartiles() -> None:
    assert spread([4.0, 1.0, 3.0, 2.0, 5.0]) == Spread(2.0, 3.0, 4.0)
    with pytest.raises(ValueError, match="at least one"):
        spread([])


def test_a_speedup_pairs_the_rounds() -> None:
    assert speedup([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]) == Spread(2.0, 2.0, 2.0)
    with pytest.raises(ValueError, match="zip"):
        speedup([1.0], [1.0, 2.0])


def test_a_share_is_of_the_limit_per_second() -> None:
    assert share(50.0, 2.0, 100.0) == 0.25
    assert share(0.0, 2.0, 100.0) is None


def test_results_have_a_line_for_each_rival() -> None:
    eager, compiled = results("family", ROW, LIMITS, TIMES, 0.25)
    assert (eager.rival, compiled.rival) == ("eager", "compiled")
    assert eager.speedup.median == 2.0
    assert eager.threads == 2
    assert eager.share_of_flops == pytest.approx(0.5)
    assert eager.share_of_bandwidth == pytest.approx(0.2)


def test_whole_processes_have_no_threads_and_no_limits() -> None:
    (line, _) = results("start", ROW, None, TIMES, None)
    assert (line.threads, line.share_of_flops, line.share_of_bandwidth) == (None, None, None)


def test_the_neighbours_share_is_what_is_busy_and_not_ours(tmp_path: Path) -> None:
    before, after = Moment(clock=10.0, busy=100.0, own=50.0), Moment(clock=14.0, busy=106.0, own=52.0)
    assert others(before, after, processors=2) == 0.5
    assert others(after, before, processors=2) is None
    assert others(None, after, processors=2) is None
    assert now(tmp_path / "missing") is None
    statistics = tmp_path / "stat"
    statistics.write_text("cpu 100 0 100 1000 50 0 0 0 7 7\ncpu0 1 2 3\n")
    found = now(statistics)
    assert found is not None
    assert found.busy == 200 / os.sysconf("SC_CLK_TCK")


def test_disturbed_work_is_done_again_and_the_quietest_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter([0.5, 0.2, 0.3, 0.4, 0.01])
    done = iter(range(10))
    monkeypatch.setattr("reference.bench.neighbours.others", lambda before, after, processors: next(shares))
    assert quietest(lambda: next(done), patience=2) == (1, 0.2)
    assert quietest(lambda: next(done), patience=2) == (4, 0.01)
    assert [disturbed(share) for share in (None, 0.01, 0.5)] == [False, False, True]


def test_patterns_pick_rows_by_family_and_name() -> None:
    family = Family("products", (Row("NT 2×2", ROW.prepare), Row("NN 2×2", ROW.prepare)))
    assert matches("products/NT 2×2", ["nt"])
    assert matches("products/NT 2×2", [])
    assert not matches("products/NT 2×2", ["relu", "loss"])
    assert [row.name for found in select(iter([family]), ["/nn"]) for row in found.rows] == ["NN 2×2"]
    assert list(select(iter([family]), ["relu"])) == []


def test_blocks_take_turns_and_the_order_turns_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    seen: list[str] = []
    calls = {"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}
    times = interleave(calls, Plan(rounds=2, block=0.0, pause=0.0))
    assert seen == ["a", "b", "a", "b", "b", "a"]  # the first of each is not measured
    assert {name: len(values) for name, values in times.items()} == {"a": 2, "b": 2}
    assert order(["a", "b", "c"], 1) == ["c", "b", "a"]


def test_short_calls_are_repeated_and_processes_are_not() -> None:
    assert repeats_for(lambda: None, 0.0) == 1
    assert repeats_for(lambda: None, 1e-3) > 10


def test_times_have_the_unit_that_suits_them() -> None:
    assert show_time(Spread(1.21e-5, 1.23e-5, 1.29e-5)) == "12.3 µs (12.1–12.9)"
    assert show_time(Spread(1.0, 2.0, 3.0)) == "2 s (1–3)"
    assert show_time(Spread(4e-10, 5e-10, 6e-10)) == "0.5 ns (0.4–0.6)"


def test_a_speedup_is_coloured_where_it_is_certain() -> None:
    assert show_speedup(Spread(1.1, 1.2, 1.3)) == "[green]1.20 (1.10–1.30)[/]"
    assert show_speedup(Spread(0.9, 1.2, 1.3)) == "1.20 (0.90–1.30)"
    assert show_speedup(Spread(0.7, 0.8, 0.9)) == "[red]0.80 (0.70–0.90)[/]"


def test_shares_are_shown_in_per_cent() -> None:
    assert [show_share(value) for value in (None, 0.001, 0.873)] == ["", "<1 %", "87 %"]
    assert [show_others(value) for value in (None, 0.01, 0.3)] == ["", "", "[yellow]30 %[/]"]


def test_the_table_has_a_line_for_each_result() -> None:
    assert table("family", results("family", ROW, LIMITS, TIMES, 0.25)).row_count == 2


def test_the_json_holds_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reference.bench.report.machine", lambda: {"processor": "one"})
    lines: list[Result] = results("family", ROW, LIMITS, TIMES, 0.25)
    read = json.loads(to_json([LIMITS], lines))
    assert read["machine"] == {"processor": "one"}
    assert read["limits"][0]["flops"] == 100e9
    assert read["rows"][0]["speedup"]["median"] == 2.0
    assert read["rows"][1]["rival"] == "compiled"


def test_the_processor_is_named(tmp_path: Path) -> None:
    information = tmp_path / "cpuinfo"
    information.write_text("processor : 0\nmodel name\t: A Processor\n")
    assert processor(information) == "A Processor"
    assert processor(tmp_path / "missing")
