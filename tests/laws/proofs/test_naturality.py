"""The lemmas read sources: a pass that calculates, compares or branches is found, and a round that counts rounds."""

from __future__ import annotations

import pytest

from bendtorch.laws.proofs.naturality import THEOREMS, calculations, counts_used, passes_in

SOURCE = """
def Both(f, g):
    def fwd(p, x):
        {}
        return Fwd((f.fwd(p[0], x[0]).y, g.fwd(p[1], x[1]).y), ())
"""


def found_in(line: str) -> list[str]:
    ((name, function),) = passes_in(SOURCE.format(line))
    assert (name, function.name) == ("Both", "fwd")
    return calculations(function)


def test_handing_on_is_allowed() -> None:
    assert found_in("guard_pair(x, info, 'x')") == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("x = (x[0] * 2, x[1])", "`x[0] * 2`"),
        ("x = (-x[0], x[1])", "`-x[0]`"),
        ("x = x if x[0].any() else p", "`x if x[0].any() else p`"),
        ("x[0][...] += 1", "`x[0][...] += 1`"),
        ("x = np.clip(x, 0, 1)", "a call of `np.clip`"),
        ("x = sorted(x)", "a call of `sorted`"),
    ],
)
def test_calculating_is_not(line: str, says: str) -> None:
    assert says in found_in(line)


def test_rounds_do_not_count() -> None:
    ((_, function),) = passes_in("def R(k):\n def fwd(x):\n  for i in range(k):\n   x = x[k - i]\n")
    assert counts_used(function) == ["k in line 4"]
    ((_, function),) = passes_in("def R(k):\n def fwd(x):\n  for i in range(k):\n   x = x[i]\n")
    assert counts_used(function) == []


def test_the_lemmas_look_at_every_combinator() -> None:
    assert all(theorem.verdict().proved for theorem in THEOREMS)
    assert THEOREMS[0].verdict().compared >= 20
    assert THEOREMS[1].verdict().compared == 2
