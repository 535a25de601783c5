"""L63: an embedding is the product of one-hot rows with the table; its gradient adds rows by their ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given

from bendtorch import Embedding, LinearNB
from laws.cases import close, law, normal, parameters, rows, same, seeds, widths

embedding: Any = Embedding
linear: Any = LinearNB


@law
@given(rows, widths, widths, seeds)
def test_l63_it_is_a_linear_layer_of_one_hot_rows(n: int, v: int, d: int, seed: int) -> None:
    """`LinearNB` holds its matrix transposed. Forward exact: all other products are zero; backward close."""
    layer, dense = embedding(n, v, d), linear(n, v, d)
    table, ids = parameters(layer, seed), normal(layer.info.takes, seed + 1)
    onehot, dy = np.eye(v, dtype=np.float32)[ids], normal(layer.info.gives, seed + 2)
    one, two = layer.fwd(table, ids), dense.fwd(np.ascontiguousarray(table.T), onehot)
    assert same(one.y + np.float32(0), two.y + np.float32(0))  # a product has no -0
    gradient = layer.bwd(table, one.s, dy, layer.zeros()).g
    assert close(gradient, dense.bwd(np.ascontiguousarray(table.T), two.s, dy, dense.zeros()).g.T)
