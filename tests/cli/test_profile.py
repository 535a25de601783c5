"""`bendtorch profile`: the table, and what is said of models that cannot be profiled."""

from __future__ import annotations

from typing import Any

import pytest

from bendtorch.cli import main
from bendtorch.kernels import pool
from bendtorch.layer import make_layer, no_params
from bendtorch.layers import ReLU
from tests.support.threads import threads

MODULE = "tests.support.models"
HERE = "tests.cli.test_profile"
RELU: Any = ReLU(2, 3)
unknown: Any = make_layer(no_params(), RELU.fwd, RELU.bwd)


def both(n: int) -> Any:
    """A model that gives a pair."""
    from bendtorch.combine import Both

    layer: Any = ReLU
    return Both(layer(n, 3), layer(n, 4))


@pytest.fixture(autouse=True)
def _without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring the machine is not what is tested."""
    monkeypatch.setattr("bendtorch.profiling.watched.machine_limits", lambda: None)


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", f"{MODULE}:mlp(7)", "--steps", "2"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [name for name in ("Seq", "LinearFirst(7, 3, 4)", "CrossEntropy", "AdamW") if name not in out] == []
    assert "medians of 2 steps" in out


def test_a_model_that_gives_a_pair_gets_a_drawn_gradient(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", f"{HERE}:both(2)", "--steps", "1"]) == 0
    assert "a drawn gradient" in capsys.readouterr().out


def test_threads_are_set(capsys: pytest.CaptureFixture[str]) -> None:
    with threads(pool.get_threads()):
        assert main(["profile", f"{MODULE}:layer", "--steps", "1", "--threads", "3"]) == 0
        assert pool.get_threads() == 3
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["no.such.module:mlp"], "cannot import no.such.module"),
        ([f"{MODULE}:nothing"], f"module {MODULE} has no 'nothing'"),
        ([f"{MODULE}:NUMBER"], "is a int, not a layer"),
        (["mlp"], "expected module:name"),
        ([f"{HERE}:unknown"], "does not say what it takes and gives"),
        ([f"{MODULE}:layer", "--steps", "0"], "steps must be an int of at least 1, got 0"),
        ([f"{MODULE}:layer", "--threads", "0"], "--threads must be at least 1, got 0"),
    ],
)
def test_mistakes_are_said(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bendtorch profile: ")
    assert text in err
