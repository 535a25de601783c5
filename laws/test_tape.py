"""L37: the backward pass of every layer is that of the tape, for the same function written in the tape's operations.

And what `record` puts on a tape is the layer itself: it has the layer's bits.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final

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
CLOSE: Final = 2.0**-16
"""What sums in another order may differ by, as a part of the largest number among the terms: as in the laws."""


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


def _leaf(g: grad.Graph, array: Any) -> Any:
    return g.input(array) if array.dtype == np.float32 else array


def _vars(nest: Any) -> Iterator[grad.Var]:
    for part in nest if isinstance(nest, tuple) else (nest,):
        if isinstance(part, tuple):
            yield from _vars(part)
        elif isinstance(part, grad.Var):
            yield part


def _weighed(g: grad.Graph, ys: Any, dy: Any) -> grad.Var:
    """The sum of y·dy over what a layer gives: its gradients are those for dy."""
    parts = [grad.sum(y * g.constant(d)) for y, d in zip(_vars(ys), arrays_in(dy), strict=True)]
    return sum(parts, g.constant(np.zeros((), np.float32)))


def _close(ours: list[Any], theirs: list[Any], size: float) -> bool:
    pairs = list(zip(ours, theirs, strict=True))
    return all(a.shape == b.shape and np.abs(a - b).max(initial=0) <= CLOSE * size for a, b in pairs)


@EACH
def test_its_backward_pass_is_the_tapes(name: str) -> None:
    @settings(law, max_examples=CASES)
    @trials
    def holds(sizes: list[int], seed: int, kind: str) -> None:
        trial = _trial(name, sizes, seed, kind)
        layer, p = trial.layer, trial.p
        g = grad.graph()
        x, leaves = mapped(lambda a: _leaf(g, a), trial.x), [_leaf(g, a) for a in arrays_in(p)]
        y = PROGRAMS[name](layer, x, *leaves)
        grads = g.backward(_weighed(g, y, trial.dy))
        done = layer.fwd(p, trial.x)
        back = layer.bwd(p, done.s, trial.dy, layer.zeros())
        size = 1 + max(float(np.abs(a).max(initial=0)) for a in floats_in((done.y, back.g, back.dx, trial.dy)))
        assert _close([g.value(v) for v in _vars(y)], arrays_in(done.y), size)
        assert _close([grads.of(v) for v in _vars(tuple(leaves))], floats_in(back.g), size)
        if layer.info.input_gradient:
            assert _close([grads.of(v) for v in _vars(x)], floats_in(back.dx), size)

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
        x = mapped(lambda a: _leaf(g, a), trial.x)
        y = recorded(x)
        grads = g.backward(_weighed(g, y, trial.dy))
        done = layer.fwd(p, trial.x)
        back = layer.bwd(p, done.s, trial.dy, layer.zeros())
        same = [(g.value(v), a) for v, a in zip(_vars(y), arrays_in(done.y), strict=True)]
        same += list(zip(floats_in(recorded.gradient(grads)), floats_in(back.g), strict=True))
        if list(_vars(x)):
            same += [(grads.of(v), a) for v, a in zip(_vars(x), floats_in(back.dx), strict=True)]
        assert all(np.array_equal(a, b) for a, b in same)

    holds()
