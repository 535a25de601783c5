"""Conv2d: the checks of every layer, its start and its files as PyTorch's, L68, and where it is another layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from bendtorch import Key, Lin, Linear, load_params, save_params
from bendtorch.errors import CheckpointError, ShapeError
from bendtorch.layers import Conv, Conv2d
from tests.support import images
from tests.support.arrays import all_same_bits, numbers
from tests.support.layers import check_layer
from tests.support.params import random_like
from tests.support.sizes import rows, seeds

LARGE = (40, 3, 20, 19, 17, 3, 2)
layer: Any = Conv2d
record: Any = Conv  # of sizes that its arrays do not tell apart

test_conv2d = check_layer(Conv2d, images.conv_sizes(), images.conv2d, large=LARGE, stride=(1, 2, 3), padding=(0, 1, 2))


@given(sizes=images.conv_sizes(), n=rows, seed=seeds, shift=st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_commutes_with_translation_inside_the_borders(
    sizes: tuple[int, ...], n: int, seed: int, shift: tuple[int, int]
) -> None:
    """L68: an image moved by whole cells gives the output moved by as many; the numbers are whole, so exactly."""
    c, h, w, o, kh, kw = sizes
    down, right = shift
    draw = np.random.default_rng(seed)
    image = draw.integers(-4, 5, (n, c, h + down, w + right)).astype(np.float32)
    p = record(draw.integers(-4, 5, (o, c * kh * kw)).astype(np.float32), numbers(seed, 1, o).round())
    large, small = layer(n, c, h + down, w + right, o, kh, kw), layer(n, c, h, w, o, kh, kw)
    whole = large.fwd(p, images.flat(image)).y.reshape(n, o, h + down - kh + 1, w + right - kw + 1)
    moved = small.fwd(p, images.flat(image[:, :, down:, right:])).y
    assert np.array_equal(images.flat(whole[:, :, down:, right:]), moved)


@given(n=rows, c=st.integers(1, 3), h=st.integers(1, 5), w=st.integers(1, 5), o=st.integers(1, 5), seed=seeds)
def test_a_window_as_large_as_the_image_is_a_linear_layer(n: int, c: int, h: int, w: int, o: int, seed: int) -> None:
    conv, linear = layer(n, c, h, w, o, h, w), Linear(n, c * h * w, o)
    p, x, dy = random_like(conv, seed), numbers(seed, n, c * h * w), numbers(seed + 1, n, o)
    q: Any = Lin(p.weight, p.bias)
    one, two = conv.fwd(p, x), linear.fwd(q, x)
    back, same = conv.bwd(p, one.s, dy, conv.zeros()), linear.bwd(q, two.s, dy, linear.zeros())
    for a, b in ((one.y, two.y), (back.dx, same.dx), (back.g.weight, same.g.weight), (back.g.bias, same.g.bias)):
        assert np.allclose(a, b, rtol=1e-5, atol=1e-5)


def test_starts_within_pytorchs_bound() -> None:
    p = Conv2d(1, 4, 9, 9, 50, 5, 5).init(Key(3))
    assert isinstance(p, Conv)
    for array in (p.weight, p.bias):
        assert np.all(np.abs(array) <= 1 / 10)
        assert np.abs(array).max() > 0.9 / 10  # and fills it


def test_files_hold_the_weight_as_pytorch_does(tmp_path: Path) -> None:
    model = Conv2d(2, 3, 8, 8, 4, 5, 2)
    p, path = model.init(Key(0)), tmp_path / "model.safetensors"
    save_params(path, model, p)
    stored = load_file(path)
    assert {name: array.shape for name, array in stored.items()} == {"weight": (4, 3, 5, 2), "bias": (4,)}
    assert np.array_equal(stored["weight"], p.weight.reshape(4, 3, 5, 2))
    assert all_same_bits(load_params(path, model), p)
    save_file({"weight": stored["weight"].reshape(4, 30), "bias": stored["bias"]}, path)
    with (
        pytest.warns(UserWarning, match="read unchecked"),
        pytest.raises(CheckpointError, match=r"\[4, 3, 5, 2\], got \[4, 30\]"),
    ):
        load_params(path, model)


def test_example() -> None:
    """A 2 × 2 window on a 3 × 3 image; the first row of windows is rows 0 and 1."""
    conv = Conv2d(1, 1, 3, 3, 1, 2, 2)
    p: Any = record(np.array([[1, 2, 3, 4]], np.float32), np.array([[10]], np.float32))
    forward = conv.fwd(p, np.arange(9, dtype=np.float32).reshape(1, 9))
    assert forward.y.tolist() == [[37, 47, 67, 77]]
    backward = conv.bwd(p, forward.s, np.array([[1, 0, 0, 1]], np.float32), conv.zeros())
    assert backward.dx.tolist() == [[1, 2, 0, 3, 5, 2, 0, 3, 4]]
    assert backward.g.weight.tolist() == [[4, 6, 10, 12]]
    assert backward.g.bias.tolist() == [[2]]


def test_windows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"Conv2d\(2, 1, 4, 9, 1, 5, 3\): the window is 5 high, the image only 4;"):
        layer(2, 1, 4, 9, 1, 5, 3)
    with pytest.raises(ShapeError, match="7 wide, the image only 4, 6 with its padding of 1; take a smaller window"):
        layer(2, 1, 9, 4, 1, 5, 7, padding=1)
    with pytest.raises(ShapeError, match="size stride must be at least 1, got 0"):
        layer(2, 1, 4, 4, 1, 2, 2, stride=0)
    with pytest.raises(ShapeError, match="size padding must be an int, got tuple"):
        layer(2, 1, 4, 4, 1, 2, 2, padding=(1, 1))
