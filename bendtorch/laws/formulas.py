"""L41: the steps of an optimizer are those of its formula, in float64."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from bendtorch.laws.law import CLOSE, OPTIMIZER, Difference, Law, NotHereError, differ
from bendtorch.laws.sides import ROUNDING
from bendtorch.laws.steps import copied, need_weights, optimizer_of, weights_of
from bendtorch.laws.trial import ORDINARY, Trial, parameters
from bendtorch.optim.config import Adam, AdamW, Momentum, Optimizer, PackedAdamW
from bendtorch.optim.state import new_state

STEPS: Final = 3  # from the first on: enough for every factor of a moment to have been used


def followed(optimizer: Optimizer, w: Any, gradients: Sequence[Any]) -> Iterator[Any]:
    """The weights after each step, from float64 weights and gradients."""
    m, v = np.zeros_like(w), np.zeros_like(w)
    for t, given in enumerate(gradients, 1):
        rate, decay = optimizer.at(t).lr, optimizer.weight_decay
        g = given if isinstance(optimizer, AdamW) else given + decay * w
        if isinstance(optimizer, AdamW):
            w = w * (1 - rate * decay)
        if isinstance(optimizer, Adam):
            m = optimizer.beta1 * m + (1 - optimizer.beta1) * g
            v = optimizer.beta2 * v + (1 - optimizer.beta2) * g**2
            root = np.sqrt(v / (1 - optimizer.beta2**t))
            w = w - rate * (m / (1 - optimizer.beta1**t)) / (root + optimizer.eps)
        elif isinstance(optimizer, Momentum):
            m = optimizer.momentum * m + g
            w = w - rate * (g + optimizer.momentum * m if optimizer.nesterov else m)
        else:
            w = w - rate * g
        yield w


def _follows(trial: Trial) -> Difference | None:
    layer, steps, optimizer = trial.layer, weights_of(trial.layer), optimizer_of(trial)
    need_weights(layer)
    if isinstance(optimizer, PackedAdamW):
        raise NotHereError("its moments are rounded to bfloat16")
    generator = trial.generator(41)
    given = [trial.g, *(parameters(layer, generator, trial.kind) for _ in range(STEPS - 1))]
    w, *gradients = (layer.dump(value).astype(np.float64)[steps] for value in (trial.p, *given))
    moves = 1.0 if isinstance(optimizer, Adam) else max(float(np.abs(a).max(initial=0)) for a in (w, *gradients))
    p, st = copied(layer, trial.p), new_state(optimizer, layer.zeros, layer.count())
    for t, (g, wanted) in enumerate(zip(given, followed(optimizer, w, gradients), strict=True), 1):
        stepped = layer.step(optimizer.at(t), p, copied(layer, g), st)
        p, st = stepped.p, stepped.st
        slack = 8 * ROUNDING * optimizer.at(t).lr * moves + 2.0**-21 * float(np.abs(w).max(initial=0))
        got = {"p": layer.dump(p)[steps]}
        found = differ(f"p after step {t}", got, "the formula", {"p": wanted.astype(np.float32)}, {"p": [slack]})
        if found is not None:
            return found
    return None


FORMULAS: Final = (
    Law(
        "L41",
        "steps follow their formula",
        "the first Adam step, without weight decay, is -lr·g/(|g| + eps); every step is that of the formula",
        CLOSE,
        _follows,
        ORDINARY,
        "it has parameters",
        subjects=(OPTIMIZER,),
        of=("SGD", "Momentum", "Adam", "AdamW"),
        hint="a correction 1 - beta^t, or a factor of a moment, is missing or another's",
    ),
)
