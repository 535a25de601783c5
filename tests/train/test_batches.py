"""Batches: every example once in an epoch, in an order that the key alone decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.train import Batches, batches
from tests.support.arrays import same_bits
from tests.support.sizes import seeds

BATCHES: Any = batches
counts = st.integers(1, 60)
sizes = st.integers(1, 70)


def data(count: int) -> tuple[Any, Any]:
    x = np.arange(2 * count, dtype=np.float32).reshape(count, 2)
    return x, np.arange(count)


def collected(made: Any, epoch: int) -> tuple[list[int], Any, Any]:
    parts = list(made.epoch(epoch))
    x, target = (np.concatenate([getattr(part, name) for part in parts]) for name in ("x", "target"))
    return [part.n for part in parts], x, target


@given(count=counts, size=sizes, seed=st.one_of(st.none(), seeds), epoch=st.integers(0, 5))
def test_every_example_once(count: int, size: int, seed: int | None, epoch: int) -> None:
    x, target = data(count)
    made = BATCHES(x, target, size, None if seed is None else Key(seed))
    lengths, all_x, all_target = collected(made, epoch)
    assert len(lengths) == len(made)
    assert lengths[:-1] == [size] * (len(lengths) - 1)
    assert 1 <= lengths[-1] <= size
    assert sum(lengths) == made.count == count
    assert sorted(all_target.tolist()) == list(range(count))
    assert np.array_equal(all_x, x[all_target])  # inputs stay with their targets


@given(count=counts, size=sizes, seed=seeds, epoch=st.integers(0, 5))
def test_the_order_is_a_function_of_key_and_epoch(count: int, size: int, seed: int, epoch: int) -> None:
    x, target = data(count)
    first, second = BATCHES(x, target, size, Key(seed)), BATCHES(x, target, size, Key(seed))
    for _ in first.epoch(epoch + 1):
        pass
    _, _, one = collected(first, epoch)
    _, _, two = collected(second, epoch)
    _, _, other_size = collected(BATCHES(x, target, size + 1, Key(seed)), epoch)
    assert same_bits(one, two)
    assert same_bits(one, other_size)
    assert same_bits(one, Key(seed).fold(epoch).permutation(count))


def test_epochs_and_keys_differ() -> None:
    x, target = data(50)
    orders = [tuple(collected(BATCHES(x, target, 7, Key(seed)), epoch)[2]) for seed in (0, 1) for epoch in (0, 1, 2)]
    assert len(set(orders)) == 6


@given(count=counts, size=sizes)
def test_without_a_key_the_order_is_that_of_the_data(count: int, size: int) -> None:
    x, target = data(count)
    made = BATCHES(x, target, size)
    assert same_bits(collected(made, 0)[1], x)
    assert same_bits(collected(made, 3)[2], target)


def test_a_batch_is_a_copy() -> None:
    x, target = data(5)
    for part in BATCHES(x, target, 2).epoch(0):
        part.x[...] = -1
        part.target[...] = -1
    assert same_bits(x, data(5)[0])
    assert same_bits(target, data(5)[1])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_types_stay(dtype: str) -> None:
    x, target = data(5)
    part = next(BATCHES(x, target.astype(dtype), 2, Key(0)).epoch(0))
    assert part.x.dtype == np.float32
    assert part.target.dtype == np.dtype(dtype)


def test_data_of_ones_own_says_what_its_examples_are() -> None:
    class Squares(Batches[Any, Any]):
        def take(self, epoch: int, rows: Any) -> tuple[Any, Any]:
            """Another sign in every other epoch."""
            return (rows * (-1) ** epoch).astype(np.float32)[:, None], rows**2

    made = Squares(7, 3, Key(2))
    lengths, x, target = collected(made, 1)
    assert lengths == [3, 3, 1]
    assert sorted(target.tolist()) == [number**2 for number in range(7)]
    assert same_bits(x[:, 0], np.float32(0) - np.sqrt(target).astype(np.float32))
    assert str(made) == f"7 examples in batches of 3, key {Key(2)}"


def test_errors() -> None:
    x, target = data(5)
    with pytest.raises(ShapeError, match=r"^batches: x has 5 rows, target has 4 labels$"):
        BATCHES(x, target[:4], 2)
    with pytest.raises(ShapeError, match=r"^batches: the data set is empty$"):
        BATCHES(x[:0], target[:0], 2)
    for size in (0, -1):
        with pytest.raises(ConfigError, match=f"^batches: size must be at least 1, got {size}$"):
            BATCHES(x, target, size)


@given(count=counts, size=sizes, seed=seeds)
def test_ids_and_matrices_may_be_inputs_and_targets(count: int, size: int, seed: int) -> None:
    x, target = data(count)
    for pair in ((x, x), (target, target), (target, x)):
        _, all_x, all_target = collected(BATCHES(*pair, size, Key(seed)), 0)
        order = Key(seed).fold(0).permutation(count)
        assert same_bits(all_x, pair[0][order])
        assert same_bits(all_target, pair[1][order])


@pytest.mark.parametrize("kind", ["float64", "float16", "bool", "uint8", "int16", "complex64"])
def test_other_types_than_layers_take_are_refused(kind: str) -> None:
    to = "int64" if kind in ("uint8", "int16") else "float32"
    wrong, right = np.zeros((3, 2), kind), np.zeros(3, np.int64)
    for name, pair in (("x", (wrong, right)), ("target", (right, wrong))):
        with pytest.raises(
            DtypeError, match=rf"^batches: {name} must be float32.*got {kind}; .*{name}.astype\(np.{to}"
        ):
            BATCHES(*pair, 2)
