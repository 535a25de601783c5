"""Where trials come from: layers, losses, optimizers, clippings, and functions of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bendtorch
from bendtorch.errors import ConfigError
from bendtorch.laws import check
from bendtorch.laws.law import CLIP, LAYER, LOSS, OPTIMIZER
from bendtorch.laws.source import Source
from bendtorch.losses.loss import Loss
from tests.support.arrays import all_same_bits

of: Any = bendtorch


def test_sizes_are_the_parameters_without_defaults() -> None:
    def maker(n: int, c: int, eps: float = 1.0, *, more: int = 2) -> Any:
        return of.ReLU(n, c)

    assert Source(maker).names == ("n", "c")
    assert str(Source(maker)) == "maker(n, c)"
    assert str(Source(lambda n: of.ReLU(n, 2))) == "the layer(n)"
    assert str(Source(of.ReLU(2, 3))) == "ReLU(2, 3)"
    assert Source(of.ReLU(2, 3)).names == ()


@pytest.mark.parametrize(
    ("maker", "kind", "name"),
    [
        (of.Linear, LAYER, "Linear"),
        (of.Linear(1, 2, 3), LAYER, "Linear"),
        (of.CrossEntropy, LOSS, "CrossEntropy"),
        (of.MSE(2, 3), LOSS, "MSE"),
        (of.PackedAdamW(0.1), OPTIMIZER, "PackedAdamW"),
        (of.ClipNorm(1.0), CLIP, "ClipNorm"),
    ],
)
def test_what_is_checked(maker: Any, kind: str, name: str) -> None:
    assert Source(maker).first() == (kind, name)


def test_a_trial_is_drawn_once() -> None:
    source = Source(of.Linear)
    assert source.drawn(3, ("ordinary",)) is source.drawn(3, ("ordinary",))
    again = Source(of.Linear).drawn(3, ("ordinary",))
    assert all_same_bits(again.x, source.drawn(3, ("ordinary",)).x)


def test_no_more_than_some_trials_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bendtorch.laws.source.KEPT", 5)
    source = Source(of.Linear)
    for seed in range(12):
        source.drawn(seed, ("ordinary",))
    assert len(source.kept) <= 5


def test_an_empty_batch_of_a_loss_is_drawn_again() -> None:
    trials = [Source(of.MSE).drawn(seed, ("ordinary",)) for seed in range(30)]
    assert all(trial.sizes[0] > 0 for trial in trials)
    assert all(trial.target.shape == trial.x.shape for trial in trials)


def test_a_loss_that_does_not_say_what_it_takes_needs_an_example() -> None:
    known = of.MSE(4, 2)
    silent: Any = Loss("Silent", known.grad, known.value)
    with pytest.raises(ConfigError, match=r"laws: Silent does not say what it takes; .*: x=\(y, target\)"):
        check(silent)
    zeros = np.zeros((4, 2), np.float32)
    assert "L36" in check(silent, x=(zeros, zeros), cases=5).applied


def test_a_layer_that_says_what_it_takes_needs_none() -> None:
    """An example would change nothing, so it is refused."""
    for maker in (of.ReLU, of.ReLU(2, 3)):
        with pytest.raises(ConfigError, match=r"laws: ReLU.* says itself what it takes, .*; leave out x"):
            check(maker, x=3)
