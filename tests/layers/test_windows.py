"""Sizes of windows over images."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.layers.windows import pool_window, window_info, window_of
from tests.support.images import patches

sides = st.integers(1, 9)


@given(h=sides, w=sides, kh=sides, kw=sides, stride=st.integers(1, 4), padding=st.integers(0, 3))
def test_there_are_as_many_windows_as_fit(h: int, w: int, kh: int, kw: int, stride: int, padding: int) -> None:
    sizes = {"n": 2, "c": 3, "h": h, "w": w}
    if kh > h + 2 * padding or kw > w + 2 * padding:
        with pytest.raises(ShapeError, match=r"Net\(2, 3, .*\): the window is .* take a smaller window"):
            window_of("Net", sizes, kh, kw, stride, padding)
        return
    window = window_of("Net", sizes, kh, kw, stride, padding)
    assert window.rows * window.columns == patches(np.zeros((2, 3, h, w)), kh, kw, stride, padding).shape[-1]
    info = window_info("Net", sizes, 5, window)
    assert [str(spec) for spec in (info.takes, info.gives, info.saves)] == [
        f"Mat[2, {3 * h * w}]",
        f"Mat[2, {5 * window.rows * window.columns}]",
        f"Mat[2, {3 * h * w}]",
    ]
    assert str(info) == f"Net(2, 3, {h}, {w}, stride={stride}, padding={padding})"


@given(k=sides, padding=st.integers(0, 9))
def test_a_window_never_lies_on_padding_alone(k: int, padding: int) -> None:
    sizes = {"n": 0, "c": 1, "h": 20, "w": 20, "k": k}
    if 2 * padding <= k:
        assert pool_window("Pool", sizes, k, padding).padding == padding
        return
    with pytest.raises(ConfigError, match=f"got {padding} for a window of {k}; take at most {k // 2}"):
        pool_window("Pool", sizes, k, padding)
