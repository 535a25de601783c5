"""Targets of commands, and what is said of those that are none."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from bendtorch.cli import main
from bendtorch.cli.target import find_layer, find_maker
from bendtorch.errors import BendError, ConfigError
from tests.support import models

MODULE = "tests.support.models"


def test_a_function_is_kept_but_for_given_sizes() -> None:
    assert find_maker(f"{MODULE}:mlp") is models.mlp
    assert str(find_maker(f"{MODULE}:mlp(7)")) == str(models.mlp(7))
    assert find_maker(f"{MODULE}:layer") is models.layer
    with pytest.raises(ConfigError, match="mlp takes \\(n\\), but 2 sizes were given"):
        find_maker(f"{MODULE}:mlp(1, 2)")


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("mlp(7)", "Seq(LinearFirst(7, 3, 4), ReLU(7, 4), Linear(7, 4, 2))"),
        ("mlp( 7 , )", "Seq(LinearFirst(7, 3, 4), ReLU(7, 4), Linear(7, 4, 2))"),
        ("mlp", "Seq(LinearFirst(1, 3, 4), ReLU(1, 4), Linear(1, 4, 2))"),
        ("wide", "LinearNB(1, 1, 5)"),
        ("wide(2, 3)", "LinearNB(2, 3, 5)"),
        ("wide(2,3,4)", "LinearNB(2, 3, 4)"),
        ("layer", "Linear(7, 3, 4)"),
    ],
)
def test_targets(target: str, text: str) -> None:
    assert str(find_layer(f"{MODULE}:{target}")) == text


def test_a_files_path_is_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "places").mkdir()
    (tmp_path / "places" / "own_model_a.py").write_text("from tests.support.models import mlp\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for target in ("places/own_model_a.py:mlp(2)", "./places/own_model_a.py:mlp(2)", "places.own_model_a:mlp(2)"):
        assert str(find_layer(target)) == str(models.mlp(2))


@pytest.mark.parametrize("target", ["{0}/own_model_b.py:mlp(2)", "../{1}/own_model_b.py:mlp(2)"])
def test_a_files_path_from_elsewhere_is_a_target_or_is_said_not_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    (tmp_path / "own_model_b.py").write_text("from tests.support.models import mlp\n")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    target = target.format(tmp_path, "." if "0" not in target else "")
    try:
        found: Any = find_layer(target)
    except ConfigError as problem:
        assert "own_model_b" in str(problem)  # noqa: PT017  both ways are right
    else:
        assert str(found) == str(models.mlp(2))


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("models", "expected module:name or module:name(sizes), got 'models'"),
        (f"{MODULE}:", "expected module:name or module:name(sizes), got"),
        (f"{MODULE}:mlp(a)", "expected module:name or module:name(sizes), got"),
        (f"{MODULE}:mlp(1", "expected module:name or module:name(sizes), got"),
        ("", "expected module:name or module:name(sizes), got ''"),
        ("no_such_module_anywhere:mlp", "cannot import no_such_module_anywhere (No module named"),
        (f"{MODULE}:nothing", f"module {MODULE} has no 'nothing'"),
        (f"{MODULE}:NUMBER", f"{MODULE}:NUMBER is a int, not a layer"),
        (f"{MODULE}:not_a_layer", f"{MODULE}:not_a_layer is a int, not a layer"),
    ],
)
def test_bad_targets(capsys: pytest.CaptureFixture[str], target: str, text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        find_layer(target)
    assert str(raised.value).startswith(text)
    assert main(["summary", target]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"bendtorch summary: {raised.value}\n"


@pytest.mark.parametrize(
    "target",
    [
        f"{MODULE}:mlp(1, 2)",
        f"{MODULE}:mlp()",
        f"{MODULE}:keyword_only",
        "..models:mlp",
        "/nowhere/at/all.py:mlp",
        "builtins:print(3)",
        f"{MODULE}:wide(1,2,3,4)",
    ],
)
def test_targets_that_cannot_be_called_are_errors_of_the_command_not_tracebacks(
    capsys: pytest.CaptureFixture[str], target: str
) -> None:
    assert main(["summary", target]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("mlp(1, 2)", "mlp takes (n), but 2 sizes were given (too many positional arguments)"),
        ("mlp()", "mlp takes (n), but 0 sizes were given (missing a required argument: 'n')"),
        ("keyword_only", "keyword_only wants width by name; name a function that takes sizes by position"),
        ("wide(1 2)", "expected module:name or module:name(sizes), got"),
        ("wide(1, -2)", "expected module:name or module:name(sizes), got"),
        (f"wide({'9' * 5000})", "expected module:name or module:name(sizes), got"),
    ],
)
def test_what_is_said_of_sizes(target: str, text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        find_layer(f"{MODULE}:{target}")
    assert str(raised.value).startswith(text)


def test_a_callable_that_hides_its_parameters_is_refused() -> None:
    with pytest.raises(ConfigError, match="max does not say which sizes it takes"):
        find_layer("builtins:max")


OWN = """
from __future__ import annotations
from dataclasses import dataclass
from neighbour import WIDTH
from tests.support.models import wide

@dataclass
class Settings:
    width: int

def model(n):
    return wide(n, Settings(WIDTH).width)

def divides(n):
    return n // 0

def leaves(n):
    raise SystemExit(7)
"""


@pytest.fixture(params=["inside", "outside", "absolute"])
def own_path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with `-` and a space in its path, beside the file that it imports, as seen from the working directory."""
    folder, elsewhere = tmp_path / "my models" / "v1.2-final", tmp_path / "else" / "where"
    folder.mkdir(parents=True)
    elsewhere.mkdir(parents=True)
    (folder / "own-model.py").write_text(OWN)
    (folder / "neighbour.py").write_text("WIDTH = 4\n")
    monkeypatch.syspath_prepend(folder)
    for name in ("own-model", "neighbour"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.chdir(tmp_path if request.param == "inside" else elsewhere)
    return {
        "inside": "my models/v1.2-final/own-model.py",
        "outside": "../../my models/v1.2-final/own-model.py",
        "absolute": f"{folder}/own-model.py",
    }[request.param]


def test_any_path_of_a_file_is_a_target(own_path: str) -> None:
    assert str(find_layer(f"{own_path}:model(3)")) == "LinearNB(3, 4, 5)"
    assert str(find_layer(f"{own_path.removesuffix('.py')}:model")) == "LinearNB(1, 4, 5)"
    with pytest.raises(ConfigError, match=r"no such file: .*own-model\.py\.py\)$"):
        find_layer(f"{own_path}.py:model")


def test_what_a_users_function_raises_is_said_with_its_place(own_path: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (
        (
            "divides",
            r"divides\(1\) failed \(ZeroDivisionError: integer division or modulo by zero, .*own-model\.py:15\)",
        ),
        ("leaves", r"leaves\(1\) failed \(SystemExit: 7, .*own-model\.py:18\)"),
    ):
        with pytest.raises(ConfigError, match=f"^{text}$"):
            find_layer(f"{own_path}:{name}")
        assert main(["summary", f"{own_path}:{name}"]) == 2
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("1 / 0", r"ZeroDivisionError: division by zero, .*own_model_d\.py:1"),
        ("import sys\nsys.exit()", r"SystemExit: , .*own_model_d\.py:2"),
        ("def (", r"SyntaxError: .*own_model_d\.py, line 1\)"),
        ("import no_such_module_at_all", "No module named 'no_such_module_at_all'"),
    ],
)
@pytest.mark.parametrize("target", ["own_model_d", "own_model_d.py", "./own_model_d"])
def test_what_a_users_module_raises_is_said_with_its_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    text: str,
    target: str,
) -> None:
    (tmp_path / "own_model_d.py").write_text(f"{code}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=rf"^cannot import {re.escape(target)} \({text}\)$"):
        find_layer(f"{target}:mlp")
    assert "own_model_d" not in sys.modules
    assert main(["summary", f"{target}:mlp"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_sizes_that_a_model_cannot_have_are_its_own_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BendError, match="size i must be at least 1, got 0"):
        find_layer(f"{MODULE}:wide(1, 0)")
    assert main(["summary", f"{MODULE}:wide(1, 0)"]) == 2
    assert "size i must be at least 1, got 0" in capsys.readouterr().err


def test_a_module_that_fails_while_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own error is shown; the command does not say that the module is not there."""
    (tmp_path / "own_model_c.py").write_text("import no_such_module_at_all\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["summary", "own_model_c:mlp"]) == 2
    assert "no_such_module_at_all" in capsys.readouterr().err
