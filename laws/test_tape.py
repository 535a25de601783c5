"""L37: the backward pass of every layer is that of the tape, for the same function written in the tape's operations.

And what `record` puts on a tape is the layer itself: it has the layer's bits.
"""

from __future__ import annotations

import inspect
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch import grad
from bendtorch.laws.nest import arrays_in, floats_in, mapped
from bendtorch.laws.trial import Trial, draw
from laws import registry, tape
from laws.cases import law, seeds

ENTRIES: Final = {**registry.LAYERS, **registry.COMBINATORS}
PROGRAMS: Final = {**tape.LAYERS, **tape.COMBINATORS}
EACH: Final = pytest.mark.parametrize("name", PROGRAMS)

CASES: Final = 40


def test_every_layer_has_its_program() -> None:
    assert list(tape.LAYERS) == list(registry.LAYERS)
    assert list(tape.COMBINATORS) == list(registry.COMBINATORS)


def _trial(name: str, sizes: list[int], seed: int, kind: str) -> Trial:
    make = ENTRIES[name].maker
    wanted = [p for p in inspect.signature(make).parameters.values() if p.default is inspect.Parameter.empty]
    return draw(make(*sizes[: len([p for p in wanted if p.kind is not p.KEYWORD_ONLY])]), seed, kind)


trials = given(
    sizes=st.lists(st.integers(1, 4), min_size=8, max_size=8), seed=seeds, kind=st.sampled_from(["ordinary", "whole"])
)


@EACH
def test_its_backward_pass_is_the_tapes(name: str) -> None:
    @settings(law, max_examples=CASES)
    @trials
    def holds(sizes: list[int], seed: int, kind: str) -> None:
        assert tape.agrees(PROGRAMS[name], _trial(name, sizes, seed, kind))

    holds()


@EACH
def test_what_is_recorded_is_the_layer(name: str) -> None:
    @settings(law, max_examples=CASES)
    @trials
    def holds(sizes: list[int], seed: int, kind: str) -> None:
        trial = _trial(name, sizes, seed, kind)
        layer, p = trial.layer, trial.p
        g = grad.graph()
        recorded = grad.record(layer, g, p)
        x = mapped(lambda a: tape.as_leaf(g, a), trial.x)
        y = recorded(x)
        grads = g.backward(tape.weighed(g, y, trial.dy))
        done = layer.fwd(p, trial.x)
        back = layer.bwd(p, done.s, trial.dy, layer.zeros())
        same = [(g.value(v), a) for v, a in zip(tape.vars_in(y), arrays_in(done.y), strict=True)]
        same += list(zip(floats_in(recorded.gradient(grads)), floats_in(back.g), strict=True))
        if list(tape.vars_in(x)):
            same += [(grads.of(v), a) for v, a in zip(tape.vars_in(x), floats_in(back.dx), strict=True)]
        assert all(np.array_equal(a, b) for a, b in same)

    holds()
