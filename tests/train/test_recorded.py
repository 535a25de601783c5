"""Steps that are made again as the kernel calls that they were: the bits of steps that are not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from bendtorch import combine, layers
from bendtorch.combine import Seq
from bendtorch.errors import ConfigError, IndexRangeError
from bendtorch.kernels.compile import JIT
from bendtorch.kernels.memory import watching
from bendtorch.keys import Key
from bendtorch.layer import Bwd, Fwd, make_layer, no_params
from bendtorch.losses import MSE, NLL, CrossEntropy
from bendtorch.models import Llama, LlamaUntied
from bendtorch.optim import Adam, ClipNorm
from bendtorch.rewrite import fused
from bendtorch.train import Train, recorded
from tests.support.arrays import labels, numbers, same_bits
from tests.support.chains import lists_of_layers
from tests.support.sizes import seeds

OF: Any = layers
WITH: Any = combine
CE: Any = CrossEntropy
MSQ: Any = MSE
LOG: Any = NLL
LLAMA: Any = Llama
UNTIED: Any = LlamaUntied
COMPILED = pytest.mark.skipif(not JIT, reason="there are no kernels to call again")


def mlp(n: int) -> Any:
    return OF.LinearFirst(n, 6, 8) >> OF.ReLU(n, 8) >> OF.Linear(n, 8, 4)


def classes(n: int, c: int, number: int) -> Any:
    return labels(number, n, c)


def two_runs(model: Any, **options: Any) -> tuple[Any, Any]:
    """An ordinary run and one that writes its steps down, from the same parameters."""
    p = model.init(Key(3))
    return Train.new(model, Adam(0.01), p, **options), Train.new(model, Adam(0.01), p, record=True, **options)


def is_recorded(train: Any, model: Any, loss: Any) -> bool:
    """Whether the steps of a model and a loss were written down."""
    return train.steps.kept[id(model), id(loss)].step is not None


def same_state(one: Any, two: Any) -> bool:
    """Parameters, gradients, moments, counts and losses."""
    pairs = [(one.flat.w, two.flat.w), (one.flat.g, two.flat.g), (one.flat.st.v, two.flat.st.v)]
    return all(same_bits(a, b) for a, b in pairs) and (one.t, one.loss) == (two.t, two.loss)


def same_steps(model: Any, loss: Any, batch: Callable[[int], tuple[Any, Any]], steps: int = 5) -> Any:
    """Both kinds of run on the same batches; gives the one that writes down."""
    plain, other = two_runs(model)
    for number in range(steps):
        x, target = batch(number)
        assert plain.step(model, loss, x, target) == other.step(model, loss, x, target)
    assert same_state(plain, other)
    return other


@settings(max_examples=25)
@given(parts=lists_of_layers(), seed=seeds)
def test_the_bits_are_those_of_the_passes(parts: list[Any], seed: int) -> None:
    model: Any = Seq(*parts)
    (n, i), c = model.info.takes.shape, model.info.gives.shape[1]
    if n == 0:
        return
    loss = CE(n, c)
    train = same_steps(model, loss, lambda number: (numbers(seed + number, n, i), classes(n, c, number)))
    assert is_recorded(train, model, loss) == JIT


@pytest.mark.parametrize("make", [LLAMA, UNTIED], ids=["tied", "untied"])
@pytest.mark.parametrize("change", [lambda model: model, fused], ids=["declared", "fused"])
def test_a_llama(make: Any, change: Any) -> None:
    model = change(make(3, 5, 11, 12, 2, 2, 3, 9, 2))
    loss = CE(15, 11)
    train = same_steps(model, loss, lambda number: (classes(15, 11, number), classes(15, 11, number + 100)))
    assert is_recorded(train, model, loss) == JIT


@pytest.mark.parametrize("name", ["GELU", "GELUErf", "SiLU", "Sigmoid", "Tanh", "Softmax", "LayerNorm", "RMSNorm"])
def test_every_layer_that_is_known(name: str) -> None:
    model = OF.Linear(7, 5, 6) >> getattr(OF, name)(7, 6) >> OF.Linear(7, 6, 3)
    loss = MSQ(7, 3)
    train = same_steps(model, loss, lambda number: (numbers(number, 7, 5), numbers(number + 9, 7, 3)))
    assert is_recorded(train, model, loss) == JIT


def test_every_wiring_that_is_known() -> None:
    n, c = 5, 4
    three = WITH.Copy(n, c) >> WITH.Both(WITH.Copy(n, c), WITH.Id(n, c)) >> WITH.Assoc(n, c, c, c)
    whole = three >> WITH.Both(OF.Tanh(n, c), WITH.Mul2(n, c)) >> WITH.Swap(n, c, c) >> WITH.Add2(n, c)
    model, loss = OF.Linear(n, 3, c) >> whole >> OF.Linear(n, c, 2), MSQ(n, 2)
    train = same_steps(model, loss, lambda number: (numbers(number, n, 3), numbers(number + 9, n, 2)))
    assert is_recorded(train, model, loss) == JIT


def test_names_that_are_known_are_names_of_layers() -> None:
    assert {name for name in recorded.KNOWN if not hasattr(layers, name)} <= set(combine.__all__)


def test_another_loss() -> None:
    model = OF.Linear(4, 5, 6) >> OF.LogSoftmax(4, 6)
    loss = LOG(4, 6)
    train = same_steps(model, loss, lambda number: (numbers(number, 4, 5), classes(4, 6, number)))
    assert is_recorded(train, model, loss) == JIT


def of_a_user(n: int, c: int, seen: list[Any]) -> Any:
    """A layer whose passes are not only kernels."""

    def fwd(p: Any, x: Any) -> Any:
        seen.append(x)
        return Fwd(x * np.float32(2), ())

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        return Bwd(dy * np.float32(2), g)

    return make_layer(no_params(), fwd, bwd, layers.ReLU(n, c).info)


def test_what_is_not_known_is_run() -> None:
    """A user's layer, even under the name of one of ours; Dropout, whose mask follows from a counter."""
    seen: list[Any] = []
    loss = CE(6, 4)
    for middle in (of_a_user(6, 8, seen), OF.Dropout(6, 8, 0.5, 1)):
        model = OF.Linear(6, 5, 8) >> middle >> OF.Linear(6, 8, 4)
        train = same_steps(model, loss, lambda number: (numbers(number, 6, 5), classes(6, 4, number)))
        assert not is_recorded(train, model, loss)
    assert len(seen) == 10


def test_a_loss_that_is_not_ours_is_run() -> None:
    model, seen = mlp(6), []
    ours = CE(6, 4)

    def grad(y: Any, target: Any) -> Any:
        seen.append(y)
        return ours.grad(y, target)

    loss = dataclasses.replace(ours, grad=grad, grad_over=None)
    same_steps(model, loss, lambda number: (numbers(number, 6, 6), classes(6, 4, number)))
    assert len(seen) == 10


def test_a_step_with_ids_out_of_range_is_refused_and_the_next_is_not() -> None:
    model, loss = OF.Embedding(6, 9, 4) >> OF.Linear(6, 4, 3), CE(6, 3)
    plain, other = two_runs(model)
    wrong = classes(6, 9, 0)
    wrong[4] = 9
    for number in range(6):
        for train in (plain, other):
            if number in (3, 4):
                bad = (wrong, classes(6, 3, 1)) if number == 3 else (classes(6, 9, 1), wrong)
                with pytest.raises(IndexRangeError, match=r"\[4\] is 9|\[\d\] is [3-9]"):
                    train.step(model, loss, *bad)
                assert not train.flat.g.any()
            train.step(model, loss, classes(6, 9, number), classes(6, 3, number))
    assert same_state(plain, other)
    assert plain.t == 6


def test_inputs_of_other_kinds_go_through_the_passes() -> None:
    """Layouts that must be copied, ids of another type, arrays of a subclass."""
    model, loss = mlp(6), CE(6, 4)
    changes: list[Any] = [
        np.asfortranarray,
        lambda x: x.view(np.memmap),
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x,
    ]

    def batch(number: int) -> tuple[Any, Any]:
        target = classes(6, 4, number)
        return changes[number % 4](numbers(number, 6, 6)), target.astype(np.int32) if number % 3 == 0 else target

    same_steps(model, loss, batch, steps=12)


def test_one_array_as_input_and_target() -> None:
    """Which of the two a kernel was given could not be told."""
    model, loss = OF.Linear(5, 4, 4), MSQ(5, 4)

    def batch(number: int) -> tuple[Any, Any]:
        x = numbers(number, 5, 4)
        return (x, x) if number < 3 else (x, numbers(number + 50, 5, 4))

    same_steps(model, loss, batch, steps=8)


def test_models_of_several_sizes_share_a_run() -> None:
    models = {n: (mlp(n), CE(n, 4)) for n in (2, 6)}
    plain, other = two_runs(models[6][0])
    for number in range(9):
        n = 2 if number % 3 == 2 else 6
        for train in (plain, other):
            train.step(*models[n], numbers(number, n, 6), classes(n, 4, number))
    assert same_state(plain, other)


def test_micro_batches_and_clipping() -> None:
    model, loss = mlp(6), CE(6, 4)
    plain, other = two_runs(model, clip=ClipNorm(0.1))
    for number in range(6):
        for train in (plain, other):
            for part in range(1 + number % 3):
                x, target = numbers(10 * number + part, 6, 6), classes(6, 4, number + part)
                train.collect(model, loss, x, target, weight=1.0 + part)
            train.apply(model)
    assert same_state(plain, other)
    assert plain.norm == other.norm


def test_other_parameters_are_used() -> None:
    """What was written down is of the parameters of its time."""
    model, loss = mlp(6), CE(6, 4)
    plain, other = two_runs(model)
    for number in range(7):
        for train in (plain, other):
            if number == 4:
                train.p = model.init(Key(8))
            train.step(model, loss, numbers(number, 6, 6), classes(6, 4, number))
    assert same_bits(plain.flat.w, other.flat.w)
    assert plain.loss == other.loss


@COMPILED
def test_nothing_is_allocated() -> None:
    model, loss = mlp(6), CE(6, 4)
    made: list[Any] = []
    train = Train.new(model, Adam(0.01), model.init(Key(0)), record=True)
    for number in range(5):
        with watching(made.append):
            train.step(model, loss, numbers(number, 6, 6), classes(6, 4, number))
        assert bool(made) == (number == 0)  # the recording itself watches in the second step
        made.clear()


@COMPILED
def test_a_large_step_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "MOST_BYTES", 200)
    model, loss = mlp(6), CE(6, 4)
    train = same_steps(model, loss, lambda number: (numbers(number, 6, 6), classes(6, 4, number)))
    assert not is_recorded(train, model, loss)


def test_what_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(ConfigError, match="record must be True or False, got 'yes'"):
        Train.new(mlp(2), Adam(0.01), mlp(2).init(Key(0)), record="yes")  # type: ignore[arg-type]


def test_few_steps_are_kept() -> None:
    train = Train.new(mlp(2), Adam(0.01), mlp(2).init(Key(0)), record=True)
    for number in range(3 * recorded.MOST_STEPS):
        model, loss = mlp(2), CE(2, 4)
        train.step(model, loss, numbers(number, 2, 6), classes(2, 4, number))
        assert 1 <= len(train.steps.kept) <= recorded.MOST_STEPS
