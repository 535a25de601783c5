"""PaddedAttention: every check of layers; what lies beyond a length is not there."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import Attention, PaddedAttention
from bendtorch.errors import ConfigError
from bendtorch.kernels.compile import JIT
from tests.support import attention as references
from tests.support.arrays import all_same_bits, numbers, same_bits
from tests.support.layers import check_layer
from tests.support.sizes import seeds

layer: Final[Any] = PaddedAttention
plain: Final[Any] = Attention
few: Final = st.sampled_from((1, 2, 3))
heads: Final = st.tuples(st.sampled_from((1, 2, 5, 34) if JIT else (1, 2, 3)), few, few, st.sampled_from((1, 2, 5, 17)))
B, T, SIZES = 3, 7, (2, 2, 3)

test_padded_attention = check_layer(
    PaddedAttention,
    heads,
    references.padded_attention,
    large=(3, 67, 2, 2, 16),
    scale=(0.3, 1.0),
    causal=(True, False),
)


def arrays(seed: int, t: int = T) -> tuple[Any, Any]:
    """An input without lengths, and a gradient of the output."""
    widths = (12, 6, 6, 12)
    q, k, v, dy = (numbers(seed + i, B * t, width) for i, width in enumerate(widths))
    return (q, (k, v)), dy


def passes(x: Any, lengths: Any, dy: Any, *, causal: bool, t: int = T) -> tuple[Any, ...]:
    """y, dq, dk, dv."""
    attention = layer(B, t, *SIZES, causal=causal)
    forward = attention.fwd((), (x, lengths))
    (dq, (dk, dv)), marker = attention.bwd((), forward.s, dy, ()).dx
    assert np.array_equal(marker, lengths)
    return forward.y, dq, dk, dv


@given(seed=seeds, causal=st.booleans())
def test_full_lengths_are_attention(seed: int, causal: bool) -> None:
    x, dy = arrays(seed)
    full = plain(B, T, *SIZES, causal=causal)
    forward = full.fwd((), x)
    dq, (dk, dv) = full.bwd((), forward.s, dy, ()).dx
    assert all(map(same_bits, passes(x, np.full(B, T), dy, causal=causal), (forward.y, dq, dk, dv)))


@given(seed=seeds, causal=st.booleans(), lengths=st.lists(st.integers(0, T), min_size=B, max_size=B))
def test_padding_has_no_influence_and_no_gradient(seed: int, causal: bool, lengths: list[int]) -> None:
    """Not in a bit, be it NaN; and what sees nothing gives zeros."""
    x, dy = arrays(seed)
    counts = np.array(lengths)
    before = passes(x, counts, dy, causal=causal)
    beyond = (np.arange(T) >= counts[:, None]).reshape(-1)
    k, v = x[1][0].copy(), x[1][1].copy()
    k[beyond], v[beyond] = np.nan, np.inf
    with np.errstate(invalid="ignore"):  # of numpy, with the JIT off: what is not finite is looked for
        assert all(map(same_bits, passes((x[0], (k, v)), counts, dy, causal=causal), before))
    y, dq, dk, dv = before
    assert not dk[beyond].any()
    assert not dv[beyond].any()
    blind = np.repeat(counts == 0, T)
    assert not y[blind].any()
    assert not dq[blind].any()


@given(seed=seeds, causal=st.booleans())
def test_a_padded_sequence_is_the_short_one(seed: int, causal: bool) -> None:
    """Queries below the length have what they have without padding."""
    x, dy = arrays(seed, 5)

    def longer(array: Any) -> Any:
        return np.concatenate([array.reshape(B, 5, -1), numbers(seed, B, 2, array.shape[1])], 1).reshape(B * T, -1)

    def shorter(array: Any) -> Any:
        return array.reshape(B, T, -1)[:, :5].reshape(B * 5, -1)

    wide = (longer(x[0]), tuple(longer(a) for a in x[1]))
    dy_wide = longer(dy).reshape(B, T, -1)
    dy_wide[:, 5:] = 0
    padded = passes(wide, np.full(B, 5), dy_wide.reshape(B * T, -1), causal=causal)
    for a, b in zip(padded, passes(x, np.full(B, 5), dy, causal=causal, t=5), strict=True):
        assert np.allclose(shorter(a), b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_lengths_of_both_widths(kind: Any) -> None:
    x, dy = arrays(1)
    results = [passes(x, np.array([0, 3, T], dtype), dy, causal=True) for dtype in (kind, np.int64)]
    assert all_same_bits(*results)


def test_options_are_checked_and_shown() -> None:
    with pytest.raises(ConfigError, match=r"PaddedAttention\(3, 7, 2, 2, 3\): scale must be"):
        layer(B, T, *SIZES, scale=-1)
    assert str(layer(B, T, *SIZES)) == "PaddedAttention(3, 7, 2, 2, 3, causal=True)"
