"""Arrays for kernels: fresh ones of any shape, and matrices that are views."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from bendtorch.grad.arrays import image_rows, matrix_of, new_array
from tests.support.grad import normal, shapes


@given(shapes)
def test_a_new_array_is_float32_in_c_order_of_its_own(shape: tuple[int, ...]) -> None:
    one, two = new_array(shape), new_array(shape)
    for array in (one, two):
        assert array.shape == shape
        assert array.dtype == np.float32
        assert array.flags.c_contiguous
    assert not np.shares_memory(one, two)


@given(shapes.filter(bool))
def test_matrices_are_views(shape: tuple[int, ...]) -> None:
    x = normal(0, shape)
    for view, kept in ((matrix_of(x), 1), (image_rows(x), 0)):
        assert view.ndim == 2
        assert view.shape[kept] == (shape[-1] if kept else shape[0])
        assert view.size == x.size
        assert np.array_equal(view.reshape(-1), x.reshape(-1))
        assert x.size == 0 or np.shares_memory(view, x)
