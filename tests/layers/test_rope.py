"""RoPE: the checks of every layer, its tables, its options; its laws are in `laws/test_rope.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.laws import examine
from bendtorch.layers import RoPE
from tests.support.arrays import numbers, same_bits
from tests.support.layers import check_layer
from tests.support.references import F64, TINY, UNIT, Bounded, Gradients, Reference
from tests.support.sizes import rows, seeds

ROPE: Any = RoPE
sizes = st.tuples(st.sampled_from([1, 2, 5, 8]), st.sampled_from([1, 2, 3]), st.sampled_from([1, 2, 5, 16, 33]))
offsets = st.integers(0, 300)
halves = st.sampled_from([1, 3, 8])
orders = st.booleans()


def rotated(x: F64, sign: int, t: int, half: int, base: float, offset: int, interleaved: bool) -> Bounded:
    """Every pair as a complex number, times e^(±i·angle)."""
    positions = np.arange(len(x)) % t + offset
    angle = sign * positions[:, None, None] * base ** (-np.arange(half) / half)
    h = x.shape[1] // (2 * half)
    heads = x.reshape(-1, h, half, 2) if interleaved else x.reshape(-1, h, 2, half).swapaxes(2, 3)
    a, b, cos, sin = heads[..., 0], heads[..., 1], np.cos(angle), np.sin(angle)
    value = np.stack([a * cos - b * sin, b * cos + a * sin], axis=-1)
    size = np.stack([abs(a * cos) + abs(b * sin), abs(b * cos) + abs(a * sin)], axis=-1)
    whole = [part if interleaved else part.swapaxes(2, 3) for part in (value, size)]
    return Bounded(whole[0].reshape(x.shape), 3 * UNIT * whole[1].reshape(x.shape) + 3 * TINY)


def reference(
    b: int, t: int, h: int, half: int, base: float = 10000.0, offset: int = 0, interleaved: bool = False
) -> Reference:
    """The layer in float64."""
    options = (t, half, base, offset, interleaved)
    return Reference(
        lambda p, x: rotated(x, 1, *options),
        lambda p, x, dy: Gradients(rotated(dy, -1, *options)),
        linear=True,
    )


def of_sequences(b: int, t: int, h: int, half: int) -> tuple[int, int, int, int]:
    """The layer's sizes for b sequences."""
    return b * t, t, h, half


LARGE = (21, 7, 3, 65)
test_rope = check_layer(RoPE, sizes, reference, large=LARGE, arguments=of_sequences)
test_rope_with_options = check_layer(
    RoPE,
    sizes,
    reference,
    large=LARGE,
    arguments=of_sequences,
    base=(1.5, 500_000.0),
    offset=(1, 1000),
    interleaved=(True,),
)


@given(b=st.integers(0, 4), t=st.integers(1, 9), half=halves, seed=seeds, interleaved=orders)
def test_sequences_and_decoding_have_the_bits_of_one_row_at_a_time(
    b: int, t: int, half: int, seed: int, interleaved: bool
) -> None:
    """Every sequence starts at position 0; one token at `offset` is the row at that position."""
    x = numbers(seed, b * t, 4 * half)
    y = ROPE(b * t, t, 2, half, interleaved=interleaved).fwd((), x).y
    for r in range(b * t):
        one = ROPE(1, 1, 2, half, offset=r % t, interleaved=interleaved).fwd((), x[r : r + 1]).y
        assert same_bits(one, y[r : r + 1])


@given(n=rows, half=halves, seed=seeds)
def test_the_two_orders_are_one_rotation_of_permuted_columns(n: int, half: int, seed: int) -> None:
    n, x = 5 * n, numbers(seed, 5 * n, 2 * half)
    order = np.arange(2 * half).reshape(2, half).T.reshape(-1)  # 0, half, 1, half + 1, …
    halved = ROPE(n, 5, 1, half).fwd((), x).y
    interleaved = ROPE(n, 5, 1, half, interleaved=True).fwd((), np.ascontiguousarray(x[:, order])).y
    assert same_bits(np.ascontiguousarray(halved[:, order]), interleaved)


def test_angles_of_far_positions_are_those_of_float64() -> None:
    """A float32 angle of a million is off by 0.03: its cosine is of no use."""
    x = np.array([[1, 0]], np.float32)
    y = ROPE(1, 1, 1, 1, offset=1_000_003).fwd((), x).y
    assert y.tolist() == [[np.float32(np.cos(1_000_003.0)), np.float32(np.sin(1_000_003.0))]]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"base": 0.5}, "base must be a finite number of at least 1, got 0.5"),
        ({"base": np.inf}, "base must be a finite number of at least 1, got inf"),
        ({"base": np.nan}, "base must be a finite number of at least 1, got nan"),
        ({"base": "2"}, "base must be a finite number of at least 1, got '2'"),
        ({"base": True}, "base must be a finite number of at least 1, got True"),
        ({"base": 10**400}, "base must be a finite number of at least 1, got 1000"),
        ({"offset": -1}, "offset must be an int from 0 to 2^53 - 1, got -1"),
        ({"offset": 1.0}, "offset must be an int from 0 to 2^53 - 1, got 1.0"),
        ({"offset": 2**53}, "offset must be an int from 0 to 2^53 - 1, got 9007199254740992"),
        ({"interleaved": 1}, "interleaved must be True or False, got 1"),
    ],
)
def test_other_options_are_refused(options: Any, text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        ROPE(6, 3, 4, 5, **options)
    assert str(raised.value).startswith(f"RoPE(6, 3, 4, 5): {text}")


@given(n=st.integers(0, 40), t=st.integers(1, 12))
def test_rows_are_whole_sequences(n: int, t: int) -> None:
    if n % t == 0:
        assert ROPE(n, t, 1, 1).info.takes.shape == (n, 2)
        return
    with pytest.raises(ShapeError) as raised:
        ROPE(n, t, 1, 1)
    assert str(raised.value) == (
        f"RoPE({n}, {t}, 1, 1): n = {n} is no multiple of t = {t}; "
        "rows are whole sequences of t positions (t = 1 for single rows)"
    )


def test_the_laws_hold_for_rows_and_for_sequences() -> None:
    of_rows, of_sequences = examine(lambda n, h: ROPE(n, 3, h, 2)), examine(lambda b, h: ROPE(b * 3, 3, h, 2))
    assert not of_rows.failures
    assert not of_sequences.failures
    assert "L31" in of_sequences.applied
    assert not [
        outcome for outcome in of_rows.outcomes if "L31" in str(outcome) and "split anywhere" not in str(outcome)
    ]


def test_options_are_told_where_they_are_not_the_usual_ones() -> None:
    assert str(ROPE(6, 3, 4, 5, base=10000.0, offset=0)) == "RoPE(6, 3, 4, 5)"
    assert str(ROPE(6, 3, 4, 5, base=2e6, interleaved=True)) == "RoPE(6, 3, 4, 5, base=2000000.0, interleaved=True)"
