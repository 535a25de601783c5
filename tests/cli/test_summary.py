"""`bendtorch summary`: the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.cli import main
from bendtorch.cli.summary import show_bytes

MODULE = "tests.support.models"


def printed(capsys: pytest.CaptureFixture[str], target: str) -> list[list[str]]:
    """The lines of the table, in words."""
    assert main(["summary", target]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    words = [line.replace("┃", " ").replace("│", " ").split() for line in out.splitlines()]
    return [line for line in words if line and "─" not in line[0][:1] and "━" not in line[0]]


def test_the_table_of_a_chain(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, f"{MODULE}:mlp(7)")
    assert lines[0] == ["layer", "takes", "gives", "parameters", "saved"]
    assert lines[1:5] == [
        ["Seq", "Mat[7,", "3]", "Mat[7,", "2]", "26", "308", "B"],
        ["├─", "LinearFirst(7,", "3,", "4)", "Mat[7,", "3]", "Mat[7,", "4]", "16", "84", "B"],
        ["├─", "ReLU(7,", "4)", "Mat[7,", "4]", "Mat[7,", "4]", "0", "112", "B"],
        ["└─", "Linear(7,", "4,", "2)", "Mat[7,", "4]", "Mat[7,", "2]", "10", "112", "B"],
    ]
    assert lines[5] == ["total", "26", "308", "B"]
    assert lines[6] == ["parameters", "take", "104", "B"]


def test_the_table_of_one_layer(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, f"{MODULE}:layer")
    assert lines[1] == ["Linear(7,", "3,", "4)", "Mat[7,", "3]", "Mat[7,", "4]", "16", "84", "B"]
    assert lines[2] == ["total", "16", "84", "B"]


def test_a_chain_is_flat_however_it_is_nested(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, f"{MODULE}:nested")
    assert [line[1] for line in lines[2:5]] == ["ReLU(1,", "Linear(1,", "ReLU(1,"]


@given(count=st.integers(0, 2**60))
def test_bytes_are_shown_in_a_unit_that_suits(count: int) -> None:
    number, unit = show_bytes(count).split()
    factor = 1024 ** ["B", "KiB", "MiB", "GiB", "TiB"].index(unit)
    assert abs(float(number) * factor - count) <= 0.05 * factor + 1e-9
    assert float(number) < 1024.05 or unit == "TiB"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (3 << 20, "3.0 MiB")]
)
def test_bytes(count: int, text: str) -> None:
    assert show_bytes(count) == text


def test_a_residual_is_a_residual(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = "from bendtorch import Linear, ReLU, Residual\nmodel = ReLU(2, 3) >> Residual(Linear(2, 3, 3))\n"
    (tmp_path / "own_residual.py").write_text(source)
    lines = printed(capsys, f"{tmp_path / 'own_residual.py'}:model")
    assert [line[:2] for line in lines[2:5]] == [["├─", "ReLU(2,"], ["└─", "Residual"], ["└─", "Linear(2,"]]
