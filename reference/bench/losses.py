"""Losses with their gradients, beside PyTorch's forward and backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy, mse_loss, nll_loss

from bendtorch import MSE, NLL, CrossEntropy, Loss
from reference.bench.registry import Contest, Row
from reference.errors import Array
from reference.inputs import normal
from reference.pytorch import Function

SIZES: Final = ((32, 10), (256, 1000), (256, 49_152))
OTHERS: Final = ((32, 10), (1024, 1024))


def rows() -> Iterator[Row]:
    """Every loss for few numbers and for many: cross-entropy for a language model's classes."""
    for n, c in SIZES:
        yield Row(
            f"CrossEntropy {n}×{c}", partial(_of_labels, CrossEntropy, cross_entropy, n, c, {}), traffic=8 * n * c
        )
    n, c = SIZES[-1]
    smoothed = partial(_of_labels, CrossEntropy, cross_entropy, n, c, {"label_smoothing": 0.1})
    yield Row(f"CrossEntropy {n}×{c}, smoothed", smoothed, traffic=8 * n * c)
    for n, c in OTHERS:
        yield Row(f"NLL {n}×{c}", partial(_of_labels, NLL, nll_loss, n, c, {}), traffic=4 * n * c)
        yield Row(f"MSE {n}×{c}", partial(_of_matrices, n, c), traffic=12 * n * c)


def _of_labels(
    make: Callable[..., Loss[Any, Any]], function: Function, n: int, c: int, options: dict[str, Any]
) -> Contest:
    rng = np.random.default_rng(0)
    return _contest(make(n, c, **options), partial(function, **options), normal(rng, (n, c)), rng.integers(0, c, n))


def _of_matrices(n: int, c: int) -> Contest:
    rng = np.random.default_rng(0)
    return _contest(MSE(n, c), mse_loss, normal(rng, (n, c)), normal(rng, (n, c)))


def _contest(loss: Loss[Any, Any], function: Function, output: Array, wanted: Array) -> Contest:
    """Loss and gradient of the output."""
    y, target = torch.tensor(output, requires_grad=True), torch.from_numpy(wanted)
    return Contest(
        lambda: loss.grad(output, wanted),
        {"eager": lambda: torch.autograd.grad(function(y, target), [y])},
    )
