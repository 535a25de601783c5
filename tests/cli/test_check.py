"""`bendtorch check`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bendtorch.cli import main
from bendtorch.cli.check import check, explained

GOOD = """
from bendtorch import Linear, ReLU
model = Linear(3, 4, 5) >> ReLU(3, 5)
"""
BAD = GOOD.replace("ReLU(3, 5)", "ReLU(3, 6)")
ERROR = "bad.py:3: error: >>: Linear gives Mat[3, 5], ReLU takes Mat[3, 6]  [bend-shape]\n"
EXPLAINED = f"""{ERROR}\
    model = Linear(3, 4, 5) >> ReLU(3, 6)
                               ^^^^^^^^^^
    Mat[3, 4] --Linear--> Mat[3, 5] =/= Mat[3, 6] --ReLU--> Mat[3, 6]
"""
LONG = """
from bendtorch import Linear, ReLU, Seq


def build() -> None:
    net = Seq(
        Linear(3, 4, 5),
        ReLU(3, 6),
        ReLU(3, 6),
    )
    Linear(
        3, 4,
        len("abc")) >> net
    net.fwd(net.zeros(),
        "a" + "text")
"""
UNTYPED = "def f(x):\n    return x\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all runs: what they check apart from their own files is always the same."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bendtorch.cli.check.CACHE", cache / "without settings")
    monkeypatch.setenv("MYPY_CACHE_DIR", str(cache / "with settings"))
    Path("good.py").write_text(GOOD)
    Path("bad.py").write_text(BAD)
    Path("untyped.py").write_text(UNTYPED)


def test_right_shapes(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(["good.py"]) == 0
    assert capsys.readouterr().out == "bendtorch check: every shape fits (1 file checked)\n"


def test_a_wrong_width(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(["good.py", "bad.py"]) == 1
    assert capsys.readouterr().out == f"{EXPLAINED}bendtorch check: 1 error in 1 file\n"


def test_a_second_run_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    check(["bad.py"])
    check(["bad.py"])
    once = f"{EXPLAINED}bendtorch check: 1 error in 1 file\n"
    assert capsys.readouterr().out == once * 2


def test_carets_under_arguments_of_many_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Path("long.py").write_text(LONG, encoding="utf-8")
    assert check(["long.py"]) == 1
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("    ")]
    assert shown == [
        "    ReLU(3, 6),",
        "    ^^^^^^^^^^",
        "    Mat[3, 4] --Linear--> Mat[3, 5] =/= Mat[3, 6] --ReLU--> Mat[3, 6] --ReLU--> Mat[3, 6]",
        '    len("abc")) >> net',
        "    ^^^^^^^^^^",
        '    "a" + "text")',
        "    ^^^^^^^^^^^^",
    ]


def test_lines_that_are_no_reports_stay() -> None:
    gone = "nowhere.py:3:1:3:2: error: text  [misc]"
    assert list(explained(["mypy: something", gone])) == ["mypy: something", "nowhere.py:3: error: text  [misc]"]


def test_a_broken_chain_in_the_plugins_own_words() -> None:
    picture = "Mat[1, 2] --A--> Mat[1, 2] =/= Mat[1, 3] --B--> Mat[1, 3]"
    assert list(explained([f"x.py:1:1:1:2: note: {picture}"])) == [f"    {picture}"]
    assert list(explained(["x.py:1:1:1:2: note: hint"])) == ["x.py:1: note: hint"]


def test_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from bendtorch.cli import main; sys.exit(main())", "check", "bad.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, ERROR.strip()), done.stderr


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "good.py", "nowhere.py", "nor_here.py"]) == 2
    captured = capsys.readouterr()
    assert captured.err == "bendtorch check: no such file: nowhere.py, nor_here.py\n"
    assert captured.out == ""


def test_mypy_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    find_spec = importlib.util.find_spec

    def without_mypy(name: str, *arguments: Any) -> Any:
        return None if name == "mypy" else find_spec(name, *arguments)

    monkeypatch.setattr(importlib.util, "find_spec", without_mypy)
    assert check(["good.py"]) == 2
    assert "pip install 'bendtorch[check]'" in capsys.readouterr().err


def test_a_file_that_does_not_parse(capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.py").write_text("def f(:\n")
    assert check(["broken.py"]) == 2
    captured = capsys.readouterr()
    assert "broken.py:1: error:" in captured.out
    assert "could not finish" in captured.err


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("mypy.ini", "[mypy]\nignore_errors = True\n"),
        ("pyproject.toml", "[tool.mypy]\nignore_errors = true\n"),
        ("setup.cfg", "[mypy]\nignore_errors = True\n"),
        ("mypy.ini", "this is no settings file"),
    ],
)
def test_settings_without_the_plugin_are_not_read(name: str, settings: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_text(settings)
    assert check(["bad.py", "untyped.py"]) == 1
    out = capsys.readouterr().out
    assert ERROR in out
    assert out.endswith("bendtorch check: 2 errors in 2 files\n"), out


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("mypy.ini", "[mypy]\nplugins = bendtorch.mypy_plugin\n[mypy-untyped]\nignore_errors = True\n"),
        (
            "pyproject.toml",
            '[tool.mypy]\nplugins = ["bendtorch.mypy_plugin"]\n'
            '[[tool.mypy.overrides]]\nmodule = "untyped"\nignore_errors = true\n',
        ),
    ],
)
def test_settings_with_the_plugin_are_read(name: str, settings: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_text(settings)
    Path("also_untyped.py").write_text(UNTYPED)
    assert check(["bad.py", "untyped.py", "also_untyped.py"]) == 1
    out = capsys.readouterr().out
    assert ERROR in out
    assert "also_untyped.py:1: error: Function is missing a type annotation  [no-untyped-def]" in out
    assert out.endswith("bendtorch check: 2 errors in 2 files\n"), out
