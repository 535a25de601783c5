"""rope: beside float64 and beside the layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import RoPE, grad
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from tests.support.grad import Case, Operation, check_operations, normal, of_sizes


def _case(lead: list[int], t: int, heads: int, half: int, offset: int, interleaved: bool, seed: int) -> Case:
    angles = np.outer(np.arange(offset, offset + t), 100.0 ** (-np.arange(half) / half))[:, None]
    cos, sin = np.cos(angles), np.sin(angles)

    def exact(x: Any) -> Any:
        parts = x.reshape(*lead, t, heads, half, 2) if interleaved else x.reshape(*lead, t, heads, 2, half)
        axis = -1 if interleaved else -2
        a, b = np.take(parts, 0, axis), np.take(parts, 1, axis)
        return np.stack([a * cos - b * sin, b * cos + a * sin], axis).reshape(x.shape)

    def call(x: grad.Var) -> grad.Var:
        return grad.rope(x, 2 * half, base=100.0, offset=offset, interleaved=interleaved)

    return Case(call, exact, (normal(seed, (*lead, t, heads * half * 2)),))


few = st.integers(1, 3)

test_operation = check_operations(
    Operation(
        "rope",
        of_sizes(_case, st.lists(st.integers(0, 2), max_size=2), few, few, few, st.integers(0, 5), st.booleans()),
    )
)


def test_the_layer_has_the_same_bits() -> None:
    x = normal(0, (6, 12))
    layer: Any = RoPE(6, 3, 2, 3)
    g = grad.graph()
    assert np.array_equal(g.value(grad.rope(g.input(x.reshape(2, 3, 12)), 6)).reshape(6, 12), layer.fwd((), x).y)


def test_refusals() -> None:
    g = grad.graph()
    x = g.input(normal(0, (2, 6)))
    for width in (3, 4, 0):
        with pytest.raises(ShapeError, match=rf"^rope: head_dim must be even and divide the 6 columns, got {width}"):
            grad.rope(x, width)
    with pytest.raises(ShapeError, match=r"^rope: x must be \(…, t, columns\)"):
        grad.rope(g.input(normal(0, (6,))))
    with pytest.raises(DtypeError, match=r"^rope: head_dim must be an int, got 2.0"):
        grad.rope(x, 2.0)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^rope: base must be a finite number of at least 1, got 0"):
        grad.rope(x, base=0)
