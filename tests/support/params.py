"""The checks of a layer's functions over its parameters: L38, L39, L44 to L48."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.laws.parameters import CONCATENATES, COUNTS, RESTORES
from bendtorch.laws.trial import EVERY, Trial, parameters
from bendtorch.layer import ones_init, zeros_init
from bendtorch.optim import SGD, Adam, AdamW, Momentum, Optimizer, PackedAdamW
from bendtorch.optim.state import map_state, new_state
from bendtorch.optim.step import step_flat
from tests.support.arrays import all_same_bits, as_lists, numbers, same_bits, snapshot

OPTIMIZERS: Final[tuple[Optimizer, ...]] = (
    SGD(0.1),
    Momentum(0.1, 0.9),
    Adam(1e-2, weight_decay=0.1),
    AdamW(1e-2, weight_decay=0.1),
    Momentum(0.1, 0.9, weight_decay=0.1, nesterov=True),
    PackedAdamW(1e-2, weight_decay=0.1),
    PackedAdamW(1e-2, weight_decay=0.1, second=False),
)


def random_like(layer: Any, seed: int) -> Any:
    """Parameters of the layer with random numbers."""
    p = layer.zeros()
    layer.load(p, numbers(seed, layer.count()), 0)
    return p


def check_laws(layer: Any, seed: int) -> None:
    """L46 to L48, with numbers of every kind, and every number described by a leaf."""
    generator = np.random.default_rng(seed)
    for kind in EVERY:
        p = parameters(layer, generator, kind)
        for law in (RESTORES, CONCATENATES, COUNTS):
            assert law.compare(Trial(layer, p, (), (), (), (), p, seed)) is None
    assert layer.count() == sum(leaf.cells for leaf in layer.leaves)


def check_dump_is_a_copy(layer: Any, seed: int) -> None:
    """Nobody who writes into a dump changes a parameter."""
    p = random_like(layer, seed)
    flat = layer.dump(p)
    assert flat.dtype == np.float32
    assert not any(np.shares_memory(flat, array) for array in as_lists(p))


def check_too_little_room(layer: Any, seed: int) -> None:
    """A flat array that is too short, or of another type, changes nothing."""
    p, count = random_like(layer, seed), layer.count()
    before, flat = snapshot(p), numbers(seed + 2, count + 2)
    for wrong, offset in ((flat, 3), (flat, -1), (flat[:count], 1)):
        kept = wrong.copy()
        with pytest.raises(ShapeError, match=rf"{count} numbers wanted from offset {offset}"):
            layer.load(p, wrong, offset)
        with pytest.raises(ShapeError, match=rf"{count} numbers wanted from offset {offset}"):
            layer.store(p, wrong, offset)
        assert same_bits(wrong, kept)
    for wrong in (flat.astype(np.float64), flat.reshape(1, -1), list(flat)):
        with pytest.raises(DtypeError, match="flat float32 array"):
            layer.load(p, wrong, 0)
    assert all_same_bits(p, before)


def check_view(layer: Any, seed: int) -> None:
    """A view shares the buffer's memory both ways, in dump order."""
    assert layer.view is not None
    count = layer.count()
    flat = numbers(seed, count + 2)
    p = layer.view(flat, 1)
    assert all(np.shares_memory(flat, array) for array in as_lists(p) if array.size)
    assert same_bits(layer.dump(p), flat[1 : count + 1])
    for array in as_lists(p):
        array[...] = 7
    assert np.all(flat[1 : count + 1] == 7)
    if count:
        with pytest.raises(ShapeError):
            layer.view(flat, 3)


def check_zeros(layer: Any, seed: int) -> None:
    """Zeros are fresh each time, zero, float32, writable and in C order."""
    one, two = as_lists(layer.zeros()), as_lists(layer.zeros())
    for a, b in zip(one, two, strict=True):
        assert a.dtype == np.float32
        assert a.flags.c_contiguous
        assert a.flags.writeable
        assert not a.any()
        assert not np.shares_memory(a, b)


def check_init(layer: Any, seed: int) -> None:
    """The same key gives the same parameters, each leaf from its own key; another key gives others."""
    key = Key(seed)
    p = layer.init(key)
    assert all_same_bits(p, layer.init(key))
    flat, start = layer.dump(p), 0
    for place, leaf in enumerate(layer.leaves):
        assert same_bits(flat[start : start + leaf.cells], leaf.init(key.fold(place), leaf.cells))
        start += leaf.cells
    if flat.any() and any(leaf.init not in (zeros_init, ones_init) for leaf in layer.leaves):
        assert not all_same_bits(p, layer.init(Key(seed + 1)))


def check_step(layer: Any, seed: int) -> None:
    """L39 and L44: the step of the tree has the bits of the flat step, and leaves a zero gradient; all in place."""
    for optimizer in OPTIMIZERS:
        p, g = random_like(layer, seed), random_like(layer, seed + 1)
        st = new_state(optimizer, layer.zeros, layer.count())
        w, dw = layer.dump(p), layer.dump(g)
        flat_state = new_state(optimizer, lambda: np.zeros(layer.count(), np.float32), layer.count())
        for t in range(1, 4):
            opt = optimizer.at(t)
            stepped = layer.step(opt, p, g, st)
            step_flat(opt, w, dw, flat_state)
            assert all(a is b for a, b in zip(as_lists(stepped.p), as_lists(p), strict=True))
            assert same_bits(layer.dump(p), w)
            assert not layer.dump(stepped.g).any()
            assert as_lists_of_state(map_state(stepped.st, layer.dump)) == as_lists_of_state(flat_state)
            layer.load(g, numbers(seed + 1 + t, layer.count()), 0)
            layer.store(g, dw, 0)


def as_lists_of_state(state: Any) -> list[bytes]:
    """The bytes of each buffer of an optimizer's state."""
    return [getattr(state, name).tobytes() for name in ("m", "v") if hasattr(state, name)]


PARAMS_CHECKS: Final[tuple[Callable[[Any, int], None], ...]] = (
    check_laws,
    check_dump_is_a_copy,
    check_too_little_room,
    check_view,
    check_zeros,
    check_init,
    check_step,
)
