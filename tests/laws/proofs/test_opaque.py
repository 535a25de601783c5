"""Opaque layers: their passes build terms, their parameters' functions are the protocol's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch.laws.proofs.opaque import Held
from bendtorch.laws.proofs.setting import Setting
from bendtorch.laws.proofs.terms import ZERO, one
from bendtorch.laws.proofs.world import NoTermError
from bendtorch.optim.at import SGDAt
from bendtorch.optim.state import OneMoment


def values(s: Setting, array: Any) -> str:
    return str(s.world.read(array))


@pytest.mark.parametrize(
    ("linear", "dx"), [(False, "f.dx(p, f.s(p, x), d + e)"), (True, "f.dx(p, f.s(p, x), d) + f.dx(p, f.s(p, x), e)")]
)
def test_passes_are_terms(linear: bool, dx: str) -> None:
    s = Setting()
    f, x, d, e = s.layer("f", "X", "Y", linear=linear), one("x"), one("d"), one("e")
    p, g = Held(one("p")), Held(one("g"))
    forward = f.fwd(p, s.space("X").array(x))
    assert values(s, forward.y) == "f(p, x)"
    assert str(forward.s) == "f.s(p, x)"
    backward = f.bwd(p, forward.s, s.space("Y").array(d + e), g)
    assert values(s, backward.dx) == dx
    assert backward.g is g
    assert str(g) == f"{dx} + g".replace("f.dx", "f.dp")
    f.bwd(p, forward.s, s.space("Y").array(d), g)
    assert "f.dp(p, f.s(p, x), d)" in str(g)


def test_what_is_not_its_own_is_refused() -> None:
    s = Setting()
    f, x, p = s.layer("f", "X", "Y"), s.space("X").array(one("x")), Held(one("p"))
    nothing: Any = ()
    with pytest.raises(NoTermError, match=r"f was given \(\) as its parameters"):
        f.fwd(nothing, x)
    with pytest.raises(NoTermError, match=r"f was given \(\) as its saved values"):
        f.bwd(p, nothing, s.space("Y").array(one("d")), Held(ZERO))


def test_pairs() -> None:
    s = Setting()
    f = s.layer("f", "X Y", "Y X")
    forward = f.fwd(Held(one("p")), (s.space("X").array(one("a")), s.space("Y").array(one("b"))))
    assert [values(s, y) for y in forward.y] == ["f.0(p, (a, b))", "f.1(p, (a, b))"]


def test_load_undoes_dump_and_store() -> None:
    f = Setting().layer("f", "X", "X")
    p, other, room = Held(one("p")), f.zeros(), np.zeros(4, np.float32)
    assert str(other) == "0"
    assert f.store(p, room, 1) == 3
    assert f.load(other, room, 1) == 3
    assert str(other) == "p"
    assert str(f.load(other, room, 0)) == "2"
    assert str(other) == "f.of(0, f.cell 0(p))"


@pytest.mark.parametrize("in_place", [True, False])
def test_steps_are_terms(in_place: bool) -> None:
    s = Setting()
    s.in_place = in_place
    f = s.layer("f", "X", "X")
    p, g, st = Held(one("p")), Held(one("g")), OneMoment(Held(one("m")))
    stepped = f.step(SGDAt(1.0), p, g, st)
    assert str(stepped.p) == "f.stepped(SGDAt(lr=1.0, weight_decay=0.0), p, g, m)"
    assert str(stepped.g) == "0"
    assert (stepped.p is p, stepped.g is g, stepped.st is st) == (in_place,) * 3
    assert str(p) == (str(stepped.p) if in_place else "p")
