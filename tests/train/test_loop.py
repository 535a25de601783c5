"""The loop: what it records, in which order it trains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from bendtorch.errors import ConfigError, NonFiniteError
from bendtorch.keys import Key
from bendtorch.layers import Embedding, Linear
from bendtorch.losses import MSE, NLL, CrossEntropy, Loss, LossOut
from bendtorch.optim import Adam
from bendtorch.train import Callback, History, Train, accuracy, batches, fit
from tests.support.arrays import all_same_bits, as_lists, labels, numbers, snapshot
from tests.support.sizes import seeds

LIN: Any = Linear
CE: Any = CrossEntropy
EMBEDDING: Any = Embedding
BATCHES: Any = batches
FIT: Any = fit


def model(n: int) -> Any:
    return LIN(n, 3, 4)


def loss(n: int) -> Any:
    return CE(n, 4)


def start(seed: int = 0) -> Any:
    return Train.new(model(1), Adam(1e-2), model(1).init(Key(seed)))


def data(seed: int = 0, count: int = 11, size: int = 4) -> Any:
    return BATCHES(numbers(seed, count, 3), labels(seed, count, 4), size, Key(seed))


@settings(max_examples=15)
@given(seed=seeds)
def test_history_is_that_of_steps_by_hand(seed: int) -> None:
    train, by_hand, made = start(seed), start(seed), data(seed)
    history = FIT(train, model, loss, made, 3)
    steps: list[float] = []
    epochs = []
    for epoch in range(3):
        total = 0.0
        for part in made.epoch(epoch):
            steps.append(by_hand.step(model(part.n), loss(part.n), part.x, part.target))
            total += steps[-1] * part.n
        epochs.append(total / 11)
    assert history.steps == steps
    assert history.epochs == epochs
    assert len(steps) == 9
    assert all_same_bits(train.p, by_hand.p)
    assert train.t == 9


def test_no_epochs_change_nothing() -> None:
    train = start()
    before = snapshot(train.p)
    assert FIT(train, model, loss, data(), 0) == History([], [])
    assert all_same_bits(train.p, before)
    assert train.t == 0


def test_a_negative_number_of_epochs_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^fit: epochs must be at least 0, got -1$"):
        FIT(start(), model, loss, data(), -1)


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("steps", range(8))
@pytest.mark.parametrize("begin", [0, 1, 3, 7])
def test_a_number_of_steps_ends_where_epochs_would_go_on(accumulate: int, steps: int, begin: int) -> None:
    """Steps count from the beginning of the run, also where it goes on from one of them."""
    whole, part = start(), start()
    expected = FIT(whole, model, loss, data(), 9, accumulate=accumulate)
    FIT(part, model, loss, data(), steps=begin, accumulate=accumulate)
    history = FIT(part, model, loss, data(), steps=steps, accumulate=accumulate, start=begin)
    assert history.steps == expected.steps[begin:steps]
    assert part.t == max(begin, steps)


def test_an_epoch_that_steps_cut_short_has_the_mean_of_its_part() -> None:
    history = FIT(start(), model, loss, data(), steps=4)
    assert len(history.epochs) == 2
    assert history.epochs[1] == history.steps[3]


def test_either_epochs_or_steps() -> None:
    for counts in ({}, {"epochs": 1, "steps": 3}):
        with pytest.raises(ConfigError, match=r"^fit: give either epochs or steps"):
            FIT(start(), model, loss, data(), **counts)
    with pytest.raises(ConfigError, match=r"^fit: steps must be at least 0, got -1$"):
        FIT(start(), model, loss, data(), steps=-1)


def test_a_model_is_built_once_for_each_size() -> None:
    built: list[tuple[str, int]] = []

    def counted_model(n: int) -> Any:
        built.append(("model", n))
        return model(n)

    def counted_loss(n: int) -> Any:
        built.append(("loss", n))
        return loss(n)

    FIT(start(), counted_model, counted_loss, data(), 4)
    assert sorted(built) == [("loss", 3), ("loss", 4), ("model", 3), ("model", 4)]


@pytest.mark.parametrize("show", [None, False])
def test_silent_where_nobody_watches(capfd: pytest.CaptureFixture[str], show: bool | None) -> None:
    FIT(start(), model, loss, data(), 2, show_progress=show)
    assert capfd.readouterr() == ("", "")


def test_a_bar_where_it_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    FIT(start(), model, loss, data(), 2, show_progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert "training" in err
    assert "examples/s" in err
    assert "loss" in err


def test_it_learns_what_can_be_learned() -> None:
    x = numbers(0, 200, 3)
    target = x.argmax(axis=1)
    train = start()
    history = FIT(train, model, loss, BATCHES(x, target, 16, Key(1)), 40)
    assert history.epochs[-1] < 0.4 * history.epochs[0]
    assert accuracy(model(200).fwd(train.p, x).y, np.asarray(target)) > 0.9


@settings(max_examples=10)
@given(seed=seeds)
def test_two_runs_have_equal_bits(seed: int) -> None:
    one, two = start(seed), start(seed)
    assert FIT(one, model, loss, data(seed), 2) == FIT(two, model, loss, data(seed), 2)
    assert all_same_bits(one.p, two.p)


def scaled(value: float, at: int) -> Any:
    """Cross-entropy, whose loss is `value` from the call `at` on (counted from 1), for all sizes together."""
    calls = [0]

    def loss_of(n: int) -> Any:
        plain = loss(n)

        def grad(y: Any, target: Any) -> Any:
            calls[0] += 1
            out = plain.grad(y, target)
            return out if calls[0] < at else LossOut(value, out.dy)

        return Loss("scaled", grad, plain.value)

    return loss_of


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize(("at", "epoch"), [(1, 1), (3, 1), (4, 2), (8, 3)])
def test_a_loss_that_is_not_finite_stops_the_run_before_its_gradient_is_applied(
    value: float, at: int, epoch: int
) -> None:
    train, until, made = start(), start(), data()  # three steps an epoch
    with pytest.raises(NonFiniteError) as raised:
        FIT(train, model, scaled(value, at), made, 5)
    assert str(raised.value).startswith(
        f"fit: the loss is {value} in epoch {epoch}, at step {at} (both counted from 1)"
    )
    batches_of_run = [part for number in range(5) for part in made.epoch(number)]
    for part in batches_of_run[: at - 1]:
        until.step(model(part.n), loss(part.n), part.x, part.target)
    assert all_same_bits(train.p, until.p)
    assert train.t == at - 1
    assert not any(array.any() for array in as_lists(train.g))


def test_infinite_data_stops_the_run() -> None:
    x = numbers(0, 8, 3)
    x[5, 1] = np.inf
    train = start()
    stopped = pytest.raises(ArithmeticError, match=r"fit: the loss is (nan|inf) in epoch 1")
    with stopped, np.errstate(all="ignore"):
        FIT(train, model, loss, BATCHES(x, labels(0, 8, 4), 4, None), 3, show_progress=True)
    assert all(np.all(np.isfinite(array)) for array in as_lists(train.p))


@pytest.mark.parametrize("stop", range(10))
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_resumed_run_sees_the_batches_that_the_first_would_have_seen(stop: int, accumulate: int) -> None:
    """However far the first came; 3 batches an epoch, in steps of one or two."""
    whole, parts = start(), start()
    per_epoch = 3 if accumulate == 1 else 2
    expected = FIT(whole, model, loss, data(), 3, accumulate=accumulate)
    stop = min(stop, 3 * per_epoch)

    class Stop(Callback[Any]):
        def after_step(self, run: Any) -> None:
            run.stop = "here" if run.train.t == stop else None

    first = FIT(parts, model, loss, data(), 3, accumulate=accumulate, callbacks=[Stop()]) if stop else History()
    second = FIT(parts, model, loss, data(), 3, accumulate=accumulate, start=stop)
    assert first.steps + second.steps == expected.steps
    assert all_same_bits(parts.p, whole.p)
    assert parts.t == whole.t == 3 * per_epoch


def test_steps_of_several_batches_are_steps_of_larger_ones() -> None:
    """Up to rounding; the last step of an epoch has fewer."""
    one, other = start(), start()
    small = FIT(one, model, loss, data(size=2, count=10), 2, accumulate=2)
    large = FIT(other, model, loss, data(size=4, count=10), 2)
    assert np.allclose(small.steps, large.steps, rtol=1e-4)
    assert np.allclose(small.epochs, large.epochs, rtol=1e-4)
    assert len(small.steps) == 6


@pytest.mark.parametrize("name", ["model", "loss"])
def test_a_layer_or_loss_in_the_place_of_its_function_is_refused(name: str) -> None:
    arguments = {"model": model, "loss": loss}
    for wrong in (model(4), loss(4), None):
        with pytest.raises(ConfigError, match=f"^fit: {name} must be a function of the number of rows"):
            FIT(start(), **{**arguments, name: wrong}, data=data(), epochs=1)


@pytest.mark.parametrize(("name", "value"), [("accumulate", 0), ("start", -1), ("epochs", 1.5), ("start", True)])
def test_impossible_counts_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"^fit: {name} must be at least"):
        FIT(start(), model, loss, data(), **{"epochs": 1, name: value})


def test_the_layer_where_it_first_appears_is_named() -> None:
    train = start()
    train.p.weight[0, 0] = np.nan
    with pytest.raises(NonFiniteError, match=r"it first appears in the parameters of layer 1, Linear\(4, 3, 4\);"):
        FIT(train, model, loss, data(), 1)


def test_a_gradient_that_is_not_finite_stops_the_run() -> None:
    def of_rows(n: int) -> Any:
        plain = loss(n)
        return Loss("steep", lambda y, t: LossOut(1.0, np.full_like(y, np.inf)), plain.value)

    train = start()
    before = snapshot(train.p)
    expected = r"fit: the norm of the gradient is (inf|nan) in epoch 1, at step 1 .* in the loss, steep, of a finite"
    with pytest.raises(NonFiniteError, match=expected), np.errstate(all="ignore"):
        FIT(train, model, of_rows, data(), 1)
    assert all_same_bits(train.p, before)
    assert not any(array.any() for array in as_lists(train.g))


def test_a_language_model_of_pairs_learns_what_follows() -> None:
    """Ids in, cross-entropy out: every token is followed by the next, but where a row is ignored."""
    v = 7
    tokens = labels(0, 150, v)
    follows = np.where(tokens == 3, -100, (tokens + 1) % v)

    def pairs(n: int) -> Any:
        return EMBEDDING(n, v, 8) >> LIN(n, 8, v)

    train = Train.new(pairs(1), Adam(0.05), pairs(1).init(Key(1)))
    made = BATCHES(tokens, follows, 32, Key(2))
    history = FIT(train, pairs, lambda n: CE(n, v, ignore_index=-100), made, 12, show_progress=False)
    assert history.epochs[0] > 1
    assert history.epochs[-1] < 0.05
    answers = pairs(v).fwd(train.p, np.arange(v)).y.argmax(axis=1)
    assert [int(answers[token]) for token in range(v) if token != 3] == [1, 2, 3, 5, 6, 0]


@pytest.mark.parametrize(
    ("maker", "target"), [(MSE, numbers(3, 11, 4)), (NLL, labels(3, 11, 4)), (CrossEntropy, labels(3, 11, 4))]
)
def test_every_loss_goes_down(maker: Any, target: Any) -> None:
    """Also over a short last batch."""
    made, train = BATCHES(numbers(0, 11, 3), target, 4), start()
    history = FIT(train, model, lambda n: maker(n, 4), made, 15)
    assert history.epochs[-1] < history.epochs[0]
