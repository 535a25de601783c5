"""What users give to layers, combinators and the trainer: structures that do not fit are said by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import (
    Adam,
    Add2,
    Assoc,
    Attention,
    Both,
    Concat,
    Conv2d,
    Copy,
    CrossEntropy,
    Fork,
    Key,
    LayerNorm,
    Linear,
    LinearFirst,
    Mul2,
    PaddedAttention,
    ReLU,
    Repeat,
    Residual,
    Seq,
    Swap,
    Tie,
    Train,
)
from bendtorch.errors import BendError, DtypeError, ShapeError
from bendtorch.layer.given import guard_backward, guard_pair, guard_record, require
from bendtorch.layers.linear import Lin

RELU: Any = ReLU(2, 3)
LIN: Any = Linear(2, 3, 3)
A = np.ones((2, 3), np.float32)
NO_PAIRS: tuple[Any, ...] = (None, 3, A, np.stack([A, A]), [A, A], (), (A,), (A, A, A))


def refused(call: Any) -> str:
    """The message of the error that a call raises: one of ours."""
    with pytest.raises(BendError) as raised:
        call()
    return str(raised.value)


@pytest.mark.parametrize("wrong", NO_PAIRS)
@pytest.mark.parametrize(
    "layer",
    [
        Add2(2, 3),
        Mul2(2, 3),
        Swap(2, 3, 3),
        Concat(2, 3, 3),
        Assoc(2, 3, 3, 3),
        Both(RELU, RELU),
        Attention(2, 1, 1, 1, 3),
    ],
    ids=str,
)
def test_a_layer_of_pairs_takes_nothing_else(layer: Any, wrong: Any) -> None:
    text = refused(lambda: layer.fwd(layer.zeros(), wrong))
    assert text.startswith(f"{layer}: x must be ")
    assert " got " in text
    assert refused(lambda: PaddedAttention(2, 1, 1, 1, 3).fwd((), wrong)).startswith("PaddedAttention(2, 1, 1, 1, 3")


@pytest.mark.parametrize("wrong", NO_PAIRS)
def test_gradients_of_pairs_are_pairs(wrong: Any) -> None:
    copy: Any = Copy(2, 3)
    assert refused(lambda: copy.bwd((), (), wrong, ())).startswith("Copy(2, 3): dy must be a pair, got ")
    swap: Any = Swap(2, 3, 3)
    assert refused(lambda: swap.bwd((), (), wrong, ())).startswith("Swap(2, 3, 3): dy must be a pair, got ")
    for layer, x in ((Fork(RELU, RELU), A), (Both(RELU, RELU), (A, A))):
        model: Any = layer
        s = model.fwd(((), ()), x).s
        text = refused(lambda model=model, s=s: model.bwd(((), ()), s, wrong, ((), ())))
        assert text.startswith(f"{model}: dy must be a pair, got ")


@pytest.mark.parametrize("wrong", [None, 3, A, (), (A,), (A, A, A), LIN.zeros()], ids=type)
@pytest.mark.parametrize(
    "model",
    [LIN >> RELU, Seq(RELU, LIN, RELU), Fork(LIN, RELU), Both(LIN, LIN), Tie(LIN, RELU, LIN), Repeat(2, LIN)],
    ids=str,
)
def test_parameters_of_combinators_are_those_of_their_parts(model: Any, wrong: Any) -> None:
    x = (A, A) if model.info.name == "Both" else A
    advice = "; take those of init(Key(0))"
    p, forward = model.zeros(), model.fwd(model.zeros(), x)
    text = refused(lambda: model.fwd(wrong, x))
    assert "parameters must be a " in text
    assert text.endswith(advice)
    dy = forward.y
    assert "the gradient must be a " in refused(lambda: model.bwd(p, forward.s, dy, wrong))
    assert "saved values must be a tuple of " in refused(lambda: model.bwd(p, None, dy, model.zeros()))
    assert refused(lambda: model.dump(wrong)).endswith(advice)
    assert "init(Key(0))" in refused(lambda: Train.new(model, Adam(), wrong))
    assert refused(lambda: model.load(wrong, model.dump(p), 0)).endswith(advice)


@pytest.mark.parametrize("wrong", [None, (A, A), A, 3, ()], ids=type)
@pytest.mark.parametrize(
    ("layer", "form"),
    [
        (Linear(2, 3, 4), "Lin(weight, bias)"),
        (LinearFirst(2, 3, 4), "Lin(weight, bias)"),
        (LayerNorm(2, 3), "Affine(weight, bias)"),
        (Conv2d(2, 3, 1, 1, 4, 1, 1), "Conv(weight, bias)"),
    ],
    ids=str,
)
def test_parameters_that_are_records_are_nothing_else(layer: Any, form: str, wrong: Any) -> None:
    text = refused(lambda: layer.fwd(wrong, A))
    assert text.startswith(f"{layer}: parameters must be {form}, got ")
    forward = layer.fwd(layer.zeros(), A)
    text = refused(lambda: layer.bwd(layer.zeros(), forward.s, forward.y, wrong))
    assert text.startswith(f"{layer}: the gradient must be {form}, got ")
    assert refused(lambda: layer.dump(wrong)).startswith(f"model: parameters must be {form}, got ")


def test_a_state_of_another_model_is_said() -> None:
    train: Any = Train.new(LIN, Adam(), LIN.init(Key(0)))
    text = refused(lambda: train.step(LIN >> RELU, CrossEntropy(2, 3), A, np.zeros(2, np.int64)))
    assert text == ("Seq(Linear(2, 3, 3), ReLU(2, 3)): parameters must be a pair, got Lin; take those of init(Key(0))")


@pytest.mark.parametrize(
    ("build", "where"),
    [
        (lambda: Fork(ReLU, RELU), "Fork"),  # type: ignore[arg-type]
        (lambda: Both(RELU, ReLU), "Both"),  # type: ignore[arg-type]
        (lambda: Residual(ReLU), "Residual"),  # type: ignore[arg-type]
        (lambda: Repeat(2, ReLU), "Repeat"),  # type: ignore[arg-type]
        (lambda: Tie(LIN, RELU, ReLU), "Tie"),  # type: ignore[arg-type]
        (lambda: Seq(ReLU, LIN), "Seq"),  # type: ignore[call-overload]
        (lambda: RELU >> ReLU, ">>"),
    ],
)
def test_constructors_in_the_place_of_layers_are_to_be_called(build: Any, where: str) -> None:
    assert refused(build) == f"{where}: expected a layer, got ReLU; call it with its sizes"


def test_a_constructor_in_the_place_of_a_loss_is_to_be_called() -> None:
    train: Any = Train.new(LIN, Adam(), LIN.init(Key(0)))
    text = refused(lambda: train.step(LIN, CrossEntropy, A, np.zeros(2, np.int64)))
    assert text == "Train.step: expected a loss, got CrossEntropy; call it with its sizes"


def test_what_fits_passes_through() -> None:
    pair, record = (A, A), LIN.zeros()
    assert guard_pair(pair, "f", "x") is pair
    assert guard_record(record, Lin, "f") is record
    guard_backward(((), ()), (A, A, A), ((), ()), "f", 3)
    require("f", "a number", int, 1, 2)


def test_the_error_is_of_length_or_of_type() -> None:
    with pytest.raises(ShapeError, match=r"^f: x must be \(a, b\), got a tuple of 3$"):
        guard_pair((1, 2, 3), "f", "x", "(a, b)")
    with pytest.raises(DtypeError, match=r"^f: x must be a pair, got an array of shape \[2, 3\]$"):
        guard_pair(A, "f", "x")
