"""A core's input: saved, or normalised once more from what the norm took."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import RMSNorm
from bendtorch.errors import ShapeError
from bendtorch.rewrite.cores import Core
from bendtorch.rewrite.inputs import kept, normalised
from tests.support.arrays import numbers, same_bits

N, C = 5, 7


def core_that_notes(seen: list[Any]) -> Core:
    """The identity, which notes the inputs of both passes."""

    def fwd(ps: Any, x: Any) -> Any:
        seen.append(x.copy())
        return x.copy(), ()

    def bwd(ps: Any, x: Any, s: Any, dy: Any, gs: Any) -> Any:
        seen.append(x.copy())
        return dy

    return Core((N, C), (), fwd, bwd)


def test_a_kept_input_is_saved() -> None:
    seen: list[Any] = []
    passes, x = kept(core_that_notes(seen), "kept"), numbers(0, N, C)
    y, s = passes.fwd((), x)
    assert s[0] is x
    assert same_bits(y, x)
    passes.bwd((), s, x, ())
    assert all(same_bits(one, x) for one in seen)


def test_a_normalised_input_is_not() -> None:
    seen: list[Any] = []
    norm: Any = RMSNorm(N, C, eps=0.5)
    passes, x, w, dy = (
        normalised(core_that_notes(seen), 0.5, "norm"),
        numbers(0, N, C),
        numbers(1, 1, C),
        numbers(2, N, C),
    )
    y, s = passes.fwd((w,), x)
    expected = norm.fwd(w, x)
    assert [part.shape for part in s[:2]] == [(N, C), (N, 1)]
    g = np.ones((1, C), np.float32)
    dx = passes.bwd((w,), s, dy, (g,))
    theirs = norm.bwd(w, expected.s, dy, np.ones((1, C), np.float32))
    assert all(same_bits(one, expected.y) for one in (y, *seen))
    assert same_bits(dx, theirs.dx)
    assert same_bits(g, theirs.g)


def test_an_input_of_another_shape_is_refused() -> None:
    for passes in (kept(core_that_notes([]), "core"), normalised(core_that_notes([]), 0.0, "core")):
        with pytest.raises(ShapeError, match="core: x must be Mat"):
            passes.fwd((numbers(1, 1, C),), numbers(0, C, N))
