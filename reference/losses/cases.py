"""What the comparisons of all losses share: one case of a loss beside PyTorch's function."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import torch

from bendtorch import Loss
from reference.compare import Case, Draw
from reference.errors import Array
from reference.pytorch import Function, evaluate

Inputs: TypeAlias = Mapping[str, Array]
"""`x`, the output of a model, and `target`."""


def loss_case(
    name: str,
    loss: Loss[Any, Any],
    function: Function,
    make: Callable[[np.random.Generator], Inputs],
    tolerance: float,
    terms: Callable[[Inputs, Array], Array] | None = None,
) -> Case:
    """A case of a loss against `function(x, target)`.

    `terms(inputs, dx)` is the size of what each number of the gradient dx is the sum of; its own size without.
    """

    def draw(seed: int) -> Draw:
        inputs = make(np.random.default_rng([seed, zlib.crc32(name.encode())]))
        ours = loss(inputs["x"], inputs["target"])
        exact = evaluate(function, inputs, None, torch.float64, fixed=("target",))
        return Draw(
            ours={"y": np.asarray(ours.loss), "dx": ours.dy},
            theirs=evaluate(function, inputs, None, torch.float32, fixed=("target",)),
            exact=exact,
            scale={} if terms is None else {"dx": terms(inputs, exact["dx"])},
        )

    size = len(make(np.random.default_rng(0))["x"].reshape(-1))
    return Case(name, draw, tolerance, most=3 if size > 1 << 20 else 200 if size > 1 << 14 else 4000)
