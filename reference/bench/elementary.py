"""Elementary functions, number by number, beside PyTorch's: each number is read once and written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from bendtorch import ops
from reference.bench.registry import Contest, Row
from reference.inputs import normal

SIZES: Final = ((32, 64), (1024, 1024))
FUNCTIONS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[torch.Tensor], torch.Tensor]]]] = {
    "exp": (ops.exp, torch.exp),
    "log": (ops.log, torch.log),
    "tanh": (ops.tanh, torch.tanh),
    "sigmoid": (ops.sigmoid, torch.sigmoid),
    "erf": (ops.erf, torch.erf),
}


def rows() -> Iterator[Row]:
    """Every function at a small and at a large size."""
    for name, (ours, theirs) in FUNCTIONS.items():
        for n, c in SIZES:
            yield Row(f"{name} {n}×{c}", partial(_contest, ours, theirs, n, c), traffic=8 * n * c)


def _contest(ours: Callable[[Any], Any], theirs: Callable[[torch.Tensor], torch.Tensor], n: int, c: int) -> Contest:
    x = np.abs(normal(np.random.default_rng(0), (n, c)))  # a logarithm of negative numbers takes another path
    tensor = torch.from_numpy(x)
    return Contest(lambda: ours(x), {"eager": lambda: theirs(tensor)})
