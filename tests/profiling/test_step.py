"""Profiles of training steps: the steps are the trainer's to the last bit, the lines are those of the step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bendtorch import AdamW, ClipNorm, CrossEntropy, Key, Train
from bendtorch.errors import BendError, ConfigError, DtypeError, ShapeError
from bendtorch.profiling import profile
from tests.support.models import mlp

LOSS: Any = CrossEntropy
X = np.random.default_rng(0).standard_normal((5, 3), dtype=np.float32)
LABELS = np.array([0, 1, 1, 0, 1])


@pytest.fixture(autouse=True)
def _without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring the machine is not what is tested."""
    monkeypatch.setattr("bendtorch.profiling.watched.machine_limits", lambda: None)


def trained(clip: ClipNorm | None = None) -> Any:
    """A run before its first step."""
    model = mlp(5)
    return Train.new(model, AdamW(1e-2), model.init(Key(0)), clip=clip)


@pytest.mark.parametrize("clip", [None, ClipNorm(0.1)])
def test_profiled_steps_are_steps(clip: ClipNorm | None) -> None:
    model, plain, watched = mlp(5), trained(clip), trained(clip)
    for _ in range(4):
        plain.step(model, LOSS(5, 2), X, LABELS)
    found = profile(watched, model, LOSS(5, 2), X, LABELS, steps=3)
    assert found.steps == 3
    assert watched.t == 4
    assert watched.loss == plain.loss
    assert model.dump(watched.p).tobytes() == model.dump(plain.p).tobytes()
    plain.step(model, LOSS(5, 2), X, LABELS)
    watched.step(model, LOSS(5, 2), X, LABELS)
    assert watched.loss == plain.loss


def test_the_lines_of_a_step() -> None:
    model = mlp(5)
    lines = profile(trained(), model, LOSS(5, 2), X, LABELS, steps=2).lines()
    assert [line.name for line in lines] == [
        "Seq",
        "LinearFirst(5, 3, 4)",
        "ReLU(5, 4)",
        "Linear(5, 4, 2)",
        str(LOSS(5, 2)),
        "AdamW",
    ]
    whole, first, _, last, loss, optimizer = lines
    assert whole.backward is not None
    assert whole.forward.flops == 2 * 60 + 20 + 2 * 40 + 10
    assert whole.backward.flops == 2 * 60 + 20 + 4 * 40 + 10
    assert first.forward.traffic == 4 * (15 + 16 + 20)
    assert last.forward.traffic == 4 * (20 + 10 + 10)
    assert (loss.forward.flops, loss.forward.traffic) == (24 * 10, 40 + 40 + 40)
    assert (optimizer.forward.flops, optimizer.forward.traffic) == (14 * 26, 32 * 26)
    assert all(line.calls == 1 for line in lines)


def test_what_clipping_costs_is_not_known() -> None:
    (*_, optimizer) = profile(trained(ClipNorm(1.0)), mlp(5), LOSS(5, 2), X, LABELS, steps=1).lines()
    assert optimizer.forward.flops is None


@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        ({"steps": 0}, ConfigError, "profile: steps must be an int of at least 1, got 0"),
        ({"steps": True}, ConfigError, "steps must be an int"),
        ({"warm": -1}, ConfigError, "profile: warm must be an int of at least 0, got -1"),
        ({"train": 3}, DtypeError, "profile: expected a Train"),
        ({"model": 3}, ConfigError, "profile: model must be a layer, got"),
        ({"loss": 3}, DtypeError, "profile: expected a loss"),
        ({"flops": 3}, ConfigError, "watch: flops must be formulas by name: .*, got 3"),
        ({"flops": {"Linear": 3}}, ConfigError, r"watch: flops\['Linear'\] must be a function from an Info .*, got 3"),
        ({"x": X[:4]}, ShapeError, r"LinearFirst\(5, 3, 4\)"),
    ],
)
def test_mistakes_are_said(change: dict[str, Any], kind: type[BendError], text: str) -> None:
    given: dict[str, Any] = {"train": trained(), "model": mlp(5), "loss": LOSS(5, 2), "x": X, "target": LABELS}
    with pytest.raises(kind, match=text):
        profile(**{**given, **change})
