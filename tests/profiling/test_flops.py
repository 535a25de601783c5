"""FLOPs by formula, and that no layer of the package is without one."""

from __future__ import annotations

from typing import Any

import pytest

from bendtorch import combine, layers, losses
from bendtorch.layer import Info
from bendtorch.layer.protocol import Layer
from bendtorch.profiling.flops import ADDING, LAYERS, LOSSES, OPTIMIZERS, Formula, layer_flops, numbers
from bendtorch.shapes.spec import ids_spec, mat_spec, places_spec

OF: Any = layers
WITH: Any = combine
RELU: Any = OF.ReLU(3, 4)
NONE: dict[str, Formula] = {}


def test_every_layer_has_a_formula() -> None:
    made = {"ActIn", "ActOut"}  # of a user's functions, whose FLOPs nobody knows
    records = {"Affine", "Conv", "Lin"}
    assert set(layers.__all__) - made - records | set(combine.__all__) == LAYERS.keys()
    assert LOSSES.keys() <= set(losses.__all__)
    assert set(ADDING) <= LAYERS.keys()
    assert all(traffic % 4 == 0 for _, traffic in OPTIMIZERS.values())


@pytest.mark.parametrize(
    ("layer", "forward", "backward"),
    [
        (OF.Linear(3, 4, 5), 2 * 60 + 15, 4 * 60 + 15),
        (OF.LinearNB(3, 4, 5), 2 * 60, 4 * 60),
        (OF.LinearFirst(3, 4, 5), 2 * 60 + 15, 2 * 60 + 15),
        (OF.Attention(2, 3, 4, 5, 6), (4 * 6 + 24) * 2 * 20 * 6, (10 * 6 + 33) * 2 * 20 * 6),
        (OF.Attention(2, 3, 4, 5, 6, causal=False), (4 * 6 + 24) * 2 * 20 * 9, (10 * 6 + 33) * 2 * 20 * 9),
        (OF.Conv2d(2, 3, 8, 8, 5, 3, 3), (2 * 27 + 1) * 2 * 5 * 36, (4 * 27 + 1) * 2 * 5 * 36),
        (OF.AvgPool2d(2, 3, 8, 8, 2), 4 * 2 * 3 * 16, 5 * 2 * 3 * 16),
        (OF.MaxPool2d(2, 3, 8, 8, 2), 0, 2 * 3 * 16),
        (OF.Embedding(7, 100, 4), 0, 28),
        (OF.ReLU(3, 4), 0, 0),
        (OF.RMSNorm(3, 4), 48, 132),
        (OF.LayerNorm(3, 4), 108, 216),
        (OF.RoPE(6, 3, 2, 4), 3 * 96, 3 * 96),
        (WITH.Mul2(3, 4), 12, 24),
        (WITH.Copy(3, 4), 0, 12),
        (WITH.Fork(RELU, RELU), 0, 12),
        (WITH.Residual(RELU), 12, 12),
        (WITH.Repeat(5, RELU), 0, 0),
    ],
    ids=str,
)
def test_known_layers(layer: Layer[Any, Any, Any, Any], forward: float, backward: float) -> None:
    assert layer_flops(layer.info, NONE) == (forward, backward)


def test_a_layer_of_ones_own_is_unknown_until_it_says() -> None:
    info = Info("Scale", {"n": 3}, gives=mat_spec(3, 4))
    assert layer_flops(info, NONE) is None
    assert layer_flops(info, {"Scale": lambda own: (own.sizes["n"], 2)}) == (3, 2)


def test_only_matrices_have_numbers() -> None:
    assert numbers((mat_spec(3, 4), (ids_spec(5), places_spec(2, 2, 9), mat_spec(1, 2)))) == 14
    assert numbers(None) == 0
