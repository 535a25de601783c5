"""Theorems on indices: their verdicts, and that a proof without z3 says what to install."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from bendtorch.laws.proofs.sizes import SizeTheorem
from bendtorch.laws.proofs.whole import Reasoning


def nothing(at: Reasoning, of: Any) -> None:
    at.whole("n")


def half(at: Reasoning, of: Any) -> None:
    n = at.whole("n")
    at.claim("twice a half", of * (n // 2) == n)


def test_without_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    verdict = SizeTheorem("L0", "a statement", nothing).verdict(2)
    assert not verdict.proved
    assert "pip install bendtorch[proofs]" in str(verdict)


def test_verdicts() -> None:
    pytest.importorskip("z3")
    assert str(SizeTheorem("L0", "halves", half).verdict(2)) == (
        "L0 halves: not proved\nNotProvedError: twice a half: not so for n = 1"
    )
    assert not SizeTheorem("L0", "nothing", nothing).verdict(2).proved
    assert not SizeTheorem("L0", "an error", lambda at, of: of.missing).verdict(2).proved
