"""Losses with their gradients, beside PyTorch's forward and backward pass."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from bendtorch import CrossEntropy
from reference.bench.registry import Contest, Row
from reference.inputs import normal

SIZES: Final = ((32, 10), (256, 1000), (256, 49_152))


def rows() -> Iterator[Row]:
    """Cross-entropy for few, some and a language model's classes."""
    for n, c in SIZES:
        yield Row(f"CrossEntropy {n}×{c}", partial(_cross_entropy, n, c), traffic=8 * n * c)


def _cross_entropy(n: int, c: int) -> Contest:
    rng = np.random.default_rng(0)
    logits, labels, loss = normal(rng, (n, c)), rng.integers(0, c, n), CrossEntropy(n, c)
    y, target = torch.tensor(logits, requires_grad=True), torch.from_numpy(labels)
    return Contest(
        lambda: loss.grad(logits, labels),
        {"eager": lambda: torch.autograd.grad(cross_entropy(y, target), [y])},
    )
