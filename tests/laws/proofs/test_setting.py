"""What a composite does, as named values; nests of names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bendtorch.laws.proofs.opaque import Held
from bendtorch.laws.proofs.setting import ImpureError, Setting, bare, by_name, held, names_in
from bendtorch.laws.proofs.terms import one


def test_the_passes_of_a_layer() -> None:
    s = Setting()
    side = {name: str(value) for name, value in s.passes(s.layer("f", "X", "Y"), "f").items()}
    assert side.pop("what is saved").endswith(
        "Sum(parts=((Term(head='x', arguments=()), Fraction(1, 1)),)))), Fraction(1, 1)),)),)"
    )
    assert side == {
        "y": "f(p_f, x)",
        "dx": "f.dx(p_f, f.s(p_f, x), dy)",
        "the gradient of f": "f.dp(p_f, f.s(p_f, x), dy) + g_f",
    }


@pytest.mark.parametrize("fault", ["x", "dy", "p", "s"])
def test_a_pass_that_changes_what_it_is_given_is_refused(fault: str) -> None:
    s = Setting()
    f = s.layer("f", "X", "X")

    def bwd(p: Any, saved: Any, dy: Any, g: Any) -> Any:
        back = f.bwd(p, saved, dy, g)
        if fault in ("p", "s"):
            (p if fault == "p" else saved).value += one("more")
        else:
            np.multiply((dy if fault == "dy" else kept[0]), 2, out=(dy if fault == "dy" else kept[0]))
        return back

    kept: list[Any] = []

    def fwd(p: Any, x: Any) -> Any:
        kept[:] = [x]
        return f.fwd(p, x)

    with pytest.raises(ImpureError, match="a pass changed p, x, s or dy"):
        s.passes(replace(f, fwd=fwd, bwd=bwd), "f")


def test_nests_of_names() -> None:
    names = (("f", ()), "g")
    assert list(names_in(names)) == ["f", "g"]
    nest = held(names, "p")
    assert [(name, str(value)) for name, value in by_name(names, nest)] == [("f", "p_f"), ("g", "p_g")]
    with pytest.raises(AssertionError, match="expected a tuple for"):
        dict(by_name(names, Held(one("p"))))
    with pytest.raises(AssertionError, match="expected the parameters of f"):
        dict(by_name("f", ()))


def test_empty_tuples_are_left_out() -> None:
    x, y = one("x"), one("y")
    assert bare((x, ())) == x
    assert bare(((x, ((), y)), ())) == (x, y)
    assert bare(()) == ()
