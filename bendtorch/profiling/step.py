"""Profiles of training steps: forward, loss, backward, optimizer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TypeVar

from bendtorch.errors import ConfigError
from bendtorch.layer.arguments import expect_layer
from bendtorch.layer.given import require
from bendtorch.layer.protocol import Layer
from bendtorch.losses.loss import Loss
from bendtorch.optim.groups import Bound
from bendtorch.profiling.flops import OPTIMIZERS, Formula
from bendtorch.profiling.node import Pass
from bendtorch.profiling.report import Profile
from bendtorch.profiling.watched import NONE, Watch
from bendtorch.train.train import Train

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
Target = TypeVar("Target")


def profile(
    train: Train[P],
    model: Layer[P, X, Y, S],
    loss: Loss[Y, Target],
    x: X,
    target: Target,
    *,
    steps: int = 10,
    warm: int = 1,
    flops: Mapping[str, Formula] = NONE,
) -> Profile:
    """Take `warm` + `steps` training steps on the batch `(x, target)`, and measure the last `steps` layer by layer.

    They are steps of `train.step`, to the last bit. The first compiles what was not used before, so it is not measured.
    `flops` are formulas for layers of one's own (see `watch`). Raises `ConfigError` when steps is less than 1 or warm
    less than 0, and whatever a step raises.
    """
    for name, value, least in (("steps", steps, 1), ("warm", warm, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigError(f"profile: {name} must be an int of at least {least}, got {value!r}")
    require("profile", "a Train", Train, train)
    expect_layer("profile", model)
    require("profile", "a loss", Loss, loss)
    watched = Watch(model, flops)
    graded = watched.loss(loss)
    optimizer = watched.rest.setdefault(_name(train), _optimizer_pass(watched, train, model.count()))
    for number in range(warm + steps):
        if number == warm:
            watched.forget()
        train.collect(watched.layer, graded, x, target)
        started = time.perf_counter()
        train.apply(watched.layer)
        optimizer.add(time.perf_counter() - started)
    return watched.profile()


def _name(train: Train[P]) -> str:
    return "Grouped" if isinstance(train.optimizer, Bound) else type(train.optimizer).__name__


def _optimizer_pass(watched: Watch[P, X, Y, S], train: Train[P], count: int) -> Pass:
    """The optimizer's line; FLOPs and bytes of those that have one number for each."""
    flops, traffic = OPTIMIZERS.get(_name(train), (None, None))
    if flops is None or traffic is None or train.clip is not None:
        return Pass(watched.clock)
    return Pass(watched.clock, flops=flops * count, traffic=traffic * count)
