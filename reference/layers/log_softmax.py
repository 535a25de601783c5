"""LogSoftmax beside `torch.log_softmax`.

A result (x - m) - log Σ exp(x - m) is measured against its own size, but for those nearer to 0 than 1e-7: PyTorch's
float64, which judges, takes the logarithm of a sum, and so forgets what is below 1e-16. An element of
dx = dy - exp(y)·Σ dy is measured against the size of its terms. Rows that are all -inf are left out: PyTorch gives NaN
there, ours -inf.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
import torch

from bendtorch import LogSoftmax
from reference.compare import Row, judge_all
from reference.errors import Array
from reference.layers.softmax import softmax_cases


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on LogSoftmax."""
    return judge_all(softmax_cases(LogSoftmax, partial(torch.log_softmax, dim=1), scale, quick))


def scale(inputs: Mapping[str, Array], dy: Array) -> dict[str, Array]:
    """The size of y, and the terms of dx: dy, and exp(y) times each dy."""
    y = torch.log_softmax(torch.from_numpy(inputs["x"]), 1).numpy()
    share = np.exp(y)
    return {
        "y": np.maximum(np.abs(y), 1e-7),
        "dx": np.sqrt(np.square(dy) + np.square(share) * np.square(dy).sum(axis=1, keepdims=True)),
    }
