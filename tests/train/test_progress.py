"""The progress bar: shown when asked for, silent where nobody watches."""

from __future__ import annotations

import sys

import pytest

from bendtorch.train.progress import progress

CASES = [(None, False, False), (None, True, True), (True, False, True), (False, True, False)]


@pytest.mark.parametrize(("show", "terminal", "shown"), CASES)
def test_shown_when_asked_for_or_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, show: bool | None, terminal: bool, shown: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with progress(10, show) as report:
        report(10, 0.125)
    out, err = capsys.readouterr()
    assert out == ""
    assert ("0.1250" in err) == shown
    assert ("examples/s" in err) == shown


def test_the_speed_is_in_the_units_of_the_data(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, 2.0])
    monkeypatch.setattr("bendtorch.train.progress.time.monotonic", lambda: next(times, 2.0))
    monkeypatch.setenv("COLUMNS", "100")
    with progress(10, True, "tokens", 128) as report:
        report(10, 0.5)
    assert "640 tokens/s" in capsys.readouterr().err


def test_what_is_printed_to_a_file_gets_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the bar is on a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress(10, True) as report:
        report(5, 0.5)
        sys.stdout.write("a sample\n")
    out, err = capsys.readouterr()
    assert out == "a sample\n"
    assert "a sample" not in err


def test_a_bar_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(0, True):
        pass
    assert "training" in capsys.readouterr().err


def test_an_error_inside_comes_through() -> None:
    def fail() -> None:
        with progress(10, True) as report:
            report(1, 2.0)
            raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        fail()
