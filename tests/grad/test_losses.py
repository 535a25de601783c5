"""Losses against labels and against probabilities: beside float64 and beside the loss of the layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bendtorch import CrossEntropy, grad
from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from tests.support.grad import Case, Operation, check_operations, log_softmax, normal, of_sizes

sizes = st.integers(1, 5)


def _labels(n: int, c: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(0, c, n)


def _hard(n: int, c: int, seed: int) -> Case:
    labels = _labels(n, c, seed)
    return Case(
        lambda x: grad.cross_entropy(x, labels),
        lambda x: -np.mean(log_softmax(x)[np.arange(n), labels]),
        (normal(seed, (n, c)),),
    )


def _soft(n: int, c: int, seed: int) -> Case:
    return Case(
        grad.softmax_cross_entropy,
        lambda x, t: -np.sum(t * log_softmax(x)) / n,
        (normal(seed, (n, c)), np.exp(log_softmax(normal(seed + 1, (n, c))))),
    )


test_operation = check_operations(
    Operation("cross_entropy", of_sizes(_hard, sizes, sizes)),
    Operation("softmax_cross_entropy", of_sizes(_soft, sizes, sizes)),
)


def test_the_loss_of_the_layers_has_the_same_bits() -> None:
    logits, labels = normal(0, (7, 11)), _labels(7, 11, 1)
    g = grad.graph()
    x = g.input(logits)
    loss = grad.cross_entropy(x, labels)
    made = CrossEntropy(7, 11)(logits, labels)
    assert g.value(loss) == np.float32(made.loss)
    assert np.array_equal(g.backward(loss).of(x), made.dy)


def test_labels_as_probabilities_give_the_same() -> None:
    logits, labels = normal(0, (7, 11)), _labels(7, 11, 1)
    g = grad.graph()
    x = g.input(logits)
    hard, soft = grad.cross_entropy(x, labels), grad.softmax_cross_entropy(x, np.eye(11, dtype=np.float32)[labels])
    assert np.isclose(g.value(hard), g.value(soft), rtol=1e-6)
    assert np.allclose(g.backward(hard).of(x), g.backward(soft).of(x), atol=1e-7)


def test_a_row_of_minus_infinity_has_no_gradient() -> None:
    g = grad.graph()
    x = g.input(np.array([[-np.inf, -np.inf], [0.0, 0.0]], np.float32))
    loss = grad.cross_entropy(x, np.array([0, 1]))
    assert g.value(loss) == np.inf
    assert g.backward(loss).of(x)[0].tolist() == [0.0, 0.0]


def test_refusals() -> None:
    g = grad.graph()
    x = g.input(normal(0, (2, 3)))
    with pytest.raises(IndexRangeError, match=r"^cross_entropy: labels\[1\] is 3, labels go from 0 to 2"):
        grad.cross_entropy(x, np.array([0, 3]))
    with pytest.raises(IndexRangeError, match=r"^cross_entropy: labels\[0\] is -1, labels go from 0 to 2$"):
        grad.cross_entropy(x, np.array([-1, 0]))
    with pytest.raises(ShapeError, match=r"^cross_entropy: labels must be Ids\[2\]"):
        grad.cross_entropy(x, np.array([0]))
    with pytest.raises(DtypeError, match=r"^cross_entropy: labels must be int32 or int64"):
        grad.cross_entropy(x, np.array([0.0, 1.0]))
    with pytest.raises(DtypeError, match=r"^cross_entropy: labels must be a numpy array of ids, got list"):
        grad.cross_entropy(x, [0, 1])
    with pytest.raises(ShapeError, match=r"^cross_entropy: logits must be \(rows, classes\), got the shape \[3\]"):
        grad.cross_entropy(g.input(normal(0, (3,))), np.array([0]))
    with pytest.raises(ShapeError, match=r"^cross_entropy: the mean over an empty batch is not defined"):
        grad.cross_entropy(g.input(normal(0, (0, 3))), np.zeros(0, np.int64))
    with pytest.raises(ShapeError, match=r"^softmax_cross_entropy: .*got the shapes \[2, 3\] and \[2, 2\]"):
        grad.softmax_cross_entropy(x, normal(0, (2, 2)))


def test_a_row_that_pytorch_ignores_is_left_out_as_the_message_says() -> None:
    g = grad.graph()
    x, labels = g.input(normal(0, (3, 4))), np.array([0, -100, 2])
    with pytest.raises(IndexRangeError) as raised:
        grad.cross_entropy(x, labels)
    assert str(raised.value) == (
        "cross_entropy: labels[1] is -100, labels go from 0 to 3;"
        " embedding(logits, np.flatnonzero(labels != -100)) are the other rows"
    )
    others = np.flatnonzero(labels != -100)
    loss = grad.cross_entropy(grad.embedding(x, others), labels[others])
    assert np.array_equal(np.any(g.backward(loss).of(x), axis=1), [True, False, True])
