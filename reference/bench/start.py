"""From nothing to a first result: whole processes, Python's own start included.

Warm: kernels are in the cache from an earlier run, as PyTorch's are in its library. Cold: the cache is empty, as after
an installation; PyTorch has nothing to compile then, so the rival is the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Final

from reference.bench.registry import Contest, Row

OUR_IMPORT: Final = "import bendtorch"
THEIR_IMPORT: Final = "import torch"
OUR_STEP: Final = """
import numpy as np
from bendtorch import Adam, CrossEntropy, Key, Linear, LinearFirst, ReLU, Train
model = LinearFirst(32, 64, 64) >> ReLU(32, 64) >> Linear(32, 64, 10)
train = Train.new(model, Adam(1e-3), model.init(Key(0)))
train.step(model, CrossEntropy(32, 10), np.ones((32, 64), np.float32), np.zeros(32, np.int64))
"""
THEIR_STEP: Final = """
import torch
from torch import nn
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
nn.functional.cross_entropy(model(torch.ones(32, 64)), torch.zeros(32, dtype=torch.int64)).backward()
optimizer.step()
"""


def rows() -> Iterator[Row]:
    """Importing, and a first training step of the digits network, with a warm and with an empty cache."""
    yield Row("import", lambda: _processes(OUR_IMPORT, THEIR_IMPORT), whole_process=True)
    yield Row("import and first step", lambda: _processes(OUR_STEP, THEIR_STEP), whole_process=True)
    cold = Contest(partial(_run_cold, OUR_STEP), {"eager": partial(_run, THEIR_STEP)})
    yield Row("import and first step, empty cache", lambda: cold, whole_process=True, long=True)


def _processes(ours: str, theirs: str) -> Contest:
    return Contest(partial(_run, ours), {"eager": partial(_run, theirs)})


def _run(code: str) -> None:
    """Run a program in a fresh interpreter."""
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  the programs above


def _run_cold(code: str) -> None:
    """The same with an empty cache of kernels."""
    with tempfile.TemporaryDirectory(prefix="bendtorch-cold-") as empty:
        environment = {**os.environ, "BENDTORCH_CACHE_DIR": empty}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)  # noqa: S603  the programs above
