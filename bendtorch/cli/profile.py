"""`bendtorch profile module:name`: what each layer of a training step takes, and the share of the machine's limit."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from rich.console import Console

from bendtorch.cli.target import AnyLayer, find_layer
from bendtorch.errors import ConfigError
from bendtorch.kernels import pool
from bendtorch.keys import Key
from bendtorch.laws.trial import Generator, filled
from bendtorch.losses import CrossEntropy, Loss, LossOut
from bendtorch.optim import AdamW
from bendtorch.profiling import profile
from bendtorch.profiling.report import WIDTH
from bendtorch.shapes.spec import ArraySpec
from bendtorch.train import Train


def profile_target(target: str, steps: int = 10, threads: int | None = None) -> int:
    """Print the profile of training steps of the model that `target` names, as `summary` names models.

    Weights are the model's own first ones, the input is drawn: normally distributed, ids evenly. A model that gives a
    matrix is trained with cross-entropy, another with a drawn gradient; the optimizer is AdamW. Raises `ConfigError` as
    `summary` does, and for a model that does not say what it takes and gives.
    """
    if threads is not None:
        if threads < 1:
            raise ConfigError(f"--threads must be at least 1, got {threads}")
        pool.set_threads(threads)
    model = find_layer(target)
    takes, gives = model.info.takes, model.info.gives
    if takes is None or gives is None:
        raise ConfigError(f"{model.info.brief} does not say what it takes and gives; give make_layer(...) its info")
    generator = np.random.default_rng(0)
    x = filled(takes, generator, "ordinary")
    loss, wanted = _loss(model, generator)
    train: Train[Any] = Train.new(model, AdamW(1e-3), model.init(Key(0)))
    found = profile(train, model, loss, x, wanted, steps=steps)
    Console(width=None if sys.stdout.isatty() else WIDTH).print(found)
    return 0


def _loss(model: AnyLayer, generator: Generator) -> tuple[Loss[Any, Any], Any]:
    """A loss that takes what the model gives, and a target for it."""
    gives = model.info.gives
    assert gives is not None
    if isinstance(gives, ArraySpec) and gives.kind == "Mat":
        n, c = gives.shape[0], gives.shape[1]
        cross_entropy: Any = CrossEntropy  # sizes that no type knows
        return cross_entropy(n, c), generator.integers(0, c, n)
    dy = filled(gives, generator, "ordinary")
    return Loss("a drawn gradient", lambda y, target: LossOut(0.0, target), lambda y, target: 0.0), dy
