"""Whole training steps: forward, loss, backward, optimizer, in Python as a user writes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from bendtorch import Adam, CrossEntropy, Key, Train
from reference.bench.registry import Contest, Row
from reference.digits import BATCH, DIGITS, HIDDEN, PIXELS, data, mlp

WORK: Final = 2 * BATCH * (2 * PIXELS * HIDDEN + 3 * HIDDEN * DIGITS)  # no gradient of the pixels


def rows() -> Iterator[Row]:
    """The digits network."""
    yield Row(f"digits {PIXELS}-{HIDDEN}-{DIGITS}, batch {BATCH}, Adam", _digits, flops=WORK)


def _digits() -> Contest:
    x, labels = np.ascontiguousarray(data().x[:BATCH]), data().labels[:BATCH].copy()
    model, loss = mlp(BATCH), CrossEntropy(BATCH, DIGITS)
    train = Train.new(model, Adam(1e-3), model.init(Key(0)))

    network = torch.nn.Sequential(torch.nn.Linear(PIXELS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, DIGITS))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, fused=True)
    pixels, target = torch.from_numpy(x), torch.from_numpy(labels)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(cross_entropy(network(pixels), target))
        optimizer.step()

    return Contest(lambda: train.step(model, loss, x, labels), {"eager, fused Adam": step})
