"""Matrix products: out = a·bᵀ, out = a·b, out += aᵀ·b, beside `torch.mm` and `addmm_` into a given array.

An m × n product over k is 2·m·n·k FLOPs; its operands are read once and its result written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np
import torch

from bendtorch.kernels.products import matmul_nn, matmul_nt, matmul_tn_add
from reference.bench.registry import Contest, Row
from reference.inputs import normal

SHAPES: Final = ((1, 1536, 576), (32, 64, 64), (256, 256, 256), (256, 128, 784), (1024, 576, 1536), (1536, 1536, 1536))


def rows() -> Iterator[Row]:
    """Each kind at each shape, m × n over k."""
    kinds: tuple[tuple[str, Callable[[int, int, int], Contest]], ...] = (("NT", _nt), ("NN", _nn), ("TN add", _tn))
    for m, n, k in SHAPES:
        for kind, prepare in kinds:
            traffic = 4 * (m * k + n * k + m * n * (2 if kind == "TN add" else 1))
            yield Row(f"{kind} {m}×{n} over {k}", partial(prepare, m, n, k), 2 * m * n * k, traffic)


def _nt(m: int, n: int, k: int) -> Contest:
    rng = np.random.default_rng(0)
    a, b, out = normal(rng, (m, k)), normal(rng, (n, k)), np.empty((m, n), np.float32)
    ta, tb, result = torch.from_numpy(a), torch.from_numpy(b).t(), torch.empty(m, n)
    return Contest(lambda: matmul_nt(a, b, out), {"mm": lambda: torch.mm(ta, tb, out=result)})


def _nn(m: int, n: int, k: int) -> Contest:
    rng = np.random.default_rng(0)
    a, b, out = normal(rng, (m, k)), normal(rng, (k, n)), np.empty((m, n), np.float32)
    ta, tb, result = torch.from_numpy(a), torch.from_numpy(b), torch.empty(m, n)
    return Contest(lambda: matmul_nn(a, b, out), {"mm": lambda: torch.mm(ta, tb, out=result)})


def _tn(m: int, n: int, k: int) -> Contest:
    rng = np.random.default_rng(0)
    a, b, out = normal(rng, (k, m)), normal(rng, (k, n)), np.zeros((m, n), np.float32)
    ta, tb, result = torch.from_numpy(a).t(), torch.from_numpy(b), torch.zeros(m, n)
    return Contest(lambda: matmul_tn_add(a, b, out), {"addmm_": lambda: result.addmm_(ta, tb)})
