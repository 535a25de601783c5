"""Bytes by formula, from the arrays of one call of each pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import combine, layers
from bendtorch.keys import Key
from bendtorch.laws.trial import filled
from bendtorch.layer.protocol import Layer
from bendtorch.profiling.traffic import backward_traffic, forward_traffic, fresh, memory_of

OF: Any = layers
WITH: Any = combine


def moved(layer: Layer[Any, Any, Any, Any]) -> tuple[float, float]:
    """The bytes of both passes."""
    generator, info = np.random.default_rng(0), layer.info
    assert info.takes is not None
    assert info.gives is not None
    x, dy = filled(info.takes, generator, "ordinary"), filled(info.gives, generator, "ordinary")
    p, g = layer.init(Key(0)), layer.zeros()
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, g)
    return (
        forward_traffic(info, p, x, forward.y, forward.s),
        backward_traffic(info, p, forward.s, dy, backward.dx, backward.g),
    )


@pytest.mark.parametrize(
    ("layer", "forward", "backward"),
    [
        (OF.Linear(3, 4, 5), 4 * (12 + 25 + 15), 4 * (12 + 25 + 15 + 50 + 12)),
        (OF.LinearFirst(3, 4, 5), 4 * (12 + 25 + 15), 4 * (12 + 15 + 50)),  # no dx, so no weights
        (OF.ReLU(3, 4), 8 * 12, 12 * 12),
        (OF.Sigmoid(3, 4), 8 * 12, 12 * 12),
        (OF.RMSNorm(3, 4), 4 * (12 + 4 + 12 + 3), 4 * (12 + 3 + 12 + 4 + 8 + 12)),
        (OF.Embedding(7, 100, 4), 56 + 8 * 28, 56 + 12 * 28),
        (OF.MaxPool2d(1, 2, 4, 4, 2), 4 * (32 + 8 + 8), 4 * (8 + 8 + 32)),
        (OF.Attention(1, 3, 1, 2, 4), 4 * (24 + 12 + 12 + 24), 4 * (48 + 24 + 48)),
        (WITH.Mul2(3, 4), 12 * 12, 4 * 5 * 12),
        (WITH.Id(3, 4), 0, 0),
        (WITH.Copy(3, 4), 0, 12 * 12),
        (WITH.Drop(3, 4), 0, 0),
        (WITH.Concat(3, 4, 5), 8 * 27, 8 * 27),
    ],
    ids=str,
)
def test_known_layers(layer: Layer[Any, Any, Any, Any], forward: float, backward: float) -> None:
    assert moved(layer) == (forward, backward)


def test_memory_is_counted_once() -> None:
    a = np.zeros((3, 4), np.float32)
    assert memory_of([a, a]) == 48
    assert memory_of([a, a.copy()]) == 96
    assert memory_of([np.broadcast_to(np.float32(0), (3, 4))]) == 4
    assert memory_of([np.zeros((0, 4), np.float32)]) == 0


def test_what_is_handed_on_was_not_written() -> None:
    a, b = np.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32)
    assert fresh([a, a[1:], b, np.zeros((0, 4), np.float32), np.broadcast_to(np.float32(0), (3, 4))], [a]) == [b]
