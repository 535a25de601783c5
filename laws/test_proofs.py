"""The laws of composition, proved for all layers, and those of indices, for all sizes."""

from __future__ import annotations

import pytest

from bendtorch.laws.proofs import THEOREMS, Provable
from laws import proofs


@pytest.mark.parametrize("theorem", THEOREMS, ids=str)
def test_proved(theorem: Provable) -> None:
    verdict = theorem.verdict()
    assert verdict.proved, str(verdict)


def test_every_law_that_can_be_is_proved() -> None:
    proved = {theorem.law for theorem in THEOREMS}
    assert {f"L{number}" for number in (*range(1, 24), 38, 45, 47, 48, *range(57, 61))} <= proved


def test_the_report(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    some = [theorem for theorem in THEOREMS if theorem.law in ("L7", "L58")]
    monkeypatch.setattr(proofs, "THEOREMS", some)
    assert proofs.main() == 0
    text = capsys.readouterr().out
    assert "L7     (f;g)⊗(h;k) ≡ (f⊗h);(g⊗k)  [all layers]" in text
    assert f"{len(some)} of {len(some)} proved" in text
