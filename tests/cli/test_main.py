"""The command itself: its parts, and its exit status."""

from __future__ import annotations

import pytest

from bendtorch.cli import main


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["summary"], ["check"], ["summary", "a", "b"], ["profile"]])
def test_wrong_arguments_show_the_usage(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: bendtorch" in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "check" in out
    assert "summary" in out
    assert "profile" in out


def test_a_good_target_gives_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "tests.support.models:mlp(3)"]) == 0
    assert "total" in capsys.readouterr().out
