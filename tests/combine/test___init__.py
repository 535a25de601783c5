"""A model with every combinator and every wiring layer: trained, summarised, the same at any number of threads."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from bendtorch import Adam, CrossEntropy
from bendtorch.cli import main
from bendtorch.cli.summary import summary_table
from bendtorch.keys import Key
from bendtorch.train import Train
from tests.support.arrays import all_same_bits, as_lists, labels, numbers, snapshot
from tests.support.composites import everything
from tests.support.params import OPTIMIZERS, PARAMS_CHECKS, random_like
from tests.support.sizes import seeds
from tests.support.threads import threads

CE: Any = CrossEntropy
EACH = pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
EVERY = (
    "Add2",
    "Assoc",
    "Both",
    "Concat",
    "Copy",
    "Drop",
    "Fork",
    "Id",
    "Mul2",
    "Permute",
    "Repeat",
    "Reshape",
    "Split",
    "Swap",
    "Tie",
)


def part_by_part(model: Any) -> Any:
    """The same model, whose step does not claim the bits of a flat step."""
    return dataclasses.replace(model, step=functools.partial(model.step))


@pytest.mark.parametrize("check", PARAMS_CHECKS)
@settings(max_examples=5)
@given(seed=seeds)
def test_its_parameters_pass_the_checks_of_all_parameters(check: Any, seed: int) -> None:
    check(everything(3), seed)


@EACH
@settings(max_examples=5)
@given(seed=seeds)
def test_flat_steps_have_the_bits_of_steps_part_by_part(optimizer: Any, seed: int) -> None:
    """L39, over a few steps; also with parameters that are no views at all."""
    model = everything(5)
    variants = [model, part_by_part(model), dataclasses.replace(part_by_part(model), view=None)]
    p, loss = model.init(Key(seed)), CE(5, 4)
    runs = [Train.new(variant, optimizer, p) for variant in variants]
    assert [run.flat is None for run in runs] == [False, False, True]
    before = model.dump(p)
    for t in range(4):
        x, target = numbers(seed + t, 5, 6), labels(seed + t, 5, 4)
        losses = [run.step(variant, loss, x, target) for run, variant in zip(runs, variants, strict=True)]
        assert losses == [losses[0]] * 3
        for run in runs[1:]:
            assert all_same_bits(run.p, runs[0].p)
            for name in ("m", "v"):
                if hasattr(run.st, name):
                    assert all_same_bits(getattr(run.st, name), getattr(runs[0].st, name))
        assert not any(array.any() for run in runs for array in as_lists(run.g))
    assert np.array_equal(model.dump(p), before)
    assert not np.array_equal(model.dump(runs[0].p), before)


def test_it_learns() -> None:
    model, target = everything(16), labels(1, 16, 4)
    train = Train.new(model, Adam(1e-2), model.init(Key(0)))
    losses = [train.step(model, CE(16, 4), numbers(0, 16, 6), target) for _ in range(200)]
    assert losses[-1] < losses[0] / 2


def test_models_for_other_batches_share_the_state() -> None:
    train = Train.new(everything(8), OPTIMIZERS[0], everything(8).init(Key(0)))
    for n in (8, 3, 1):
        assert np.isfinite(train.step(everything(n), CE(n, 4), numbers(n, n, 6), labels(n, n, 4)))


def test_its_gradient_is_the_derivative_of_its_loss() -> None:
    """L27: central differences of the float32 loss along random directions."""
    model, target, x = everything(6), labels(1, 6, 4), numbers(0, 6, 6)
    p, loss = model.init(Key(1)), CE(6, 4)
    forward = model.fwd(p, x)
    gradient = model.dump(model.bwd(p, forward.s, loss.grad(forward.y, target).dy, model.zeros()).g)
    flat, errors = model.dump(p), []

    def at(step: Any) -> float:
        q = model.zeros()
        model.load(q, flat + step, 0)
        return float(loss.value(model.fwd(q, x).y, target))

    for seed in range(20):
        direction = numbers(seed, flat.size) / np.float32(np.sqrt(flat.size))
        step = np.float32(0.01) * direction
        exact = float(gradient.astype(np.float64) @ direction.astype(np.float64))
        errors.append(abs((at(step) - at(-step)) / 0.02 - exact))
    assert float(np.median(errors)) < 2e-3 * float(np.linalg.norm(gradient))


@settings(max_examples=3)
@given(seed=seeds)
def test_equal_bits_at_one_and_two_threads(seed: int) -> None:
    model = everything(270)
    p, x, target = random_like(model, seed), numbers(seed, 270, 6), labels(seed, 270, 4)
    results: list[Any] = []
    for count in (1, 2):
        with threads(count):
            forward = model.fwd(p, x)
            backward = model.bwd(p, forward.s, forward.y, model.zeros())
            train = Train.new(model, OPTIMIZERS[2], p)
            train.step(model, CE(270, 4), x, target)
            results.append(snapshot((forward.y, backward.dx, backward.g, train.p)))
    assert all_same_bits(*results)


def test_the_summary_shows_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", "tests.support.composites:everything(7)"]) == 0
    out = capsys.readouterr().out
    words = [line.replace("┃", " ").replace("│", " ").split() for line in out.splitlines()]
    names = [next(w for w in line if w not in {"├─", "└─"}).split("(")[0] for line in words if line]
    assert set(EVERY) <= set(names)
    assert len([name for name in names if name[:1].isupper()]) == rows_of(everything(7))
    assert f"{everything(7).count():,}" in out
    assert "?" not in out


def rows_of(layer: Any) -> int:
    """A layer's own line and its parts'."""
    return 1 + sum(map(rows_of, layer.info.parts))


def test_the_summary_counts_shared_and_repeated_parameters_as_the_model_does() -> None:
    table = summary_table(everything(7))
    columns = [list(column.cells) for column in table.columns]
    counts = {str(name).strip("├─└│ "): str(count) for name, count in zip(columns[0], columns[3], strict=True)}
    assert counts["Tie"] == "16"
    assert counts["Repeat(2)"] == "40"
    assert counts["total"] == f"{everything(7).count()}"
