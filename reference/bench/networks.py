"""The two small networks whose steps are measured, and their steps in ours, in PyTorch eager, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from bendtorch import Adam, CrossEntropy, Key, Linear, LinearFirst, ReLU, Train

RATE: Final = 1e-3
Step = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Network:
    """A network with one hidden layer and a ReLU, and the size of its batch."""

    name: str
    batch: int
    inputs: int
    hidden: int
    classes: int

    @property
    def flops(self) -> int:
        """The products of a step; nobody asks for the gradient of the input."""
        return 2 * self.batch * (2 * self.inputs * self.hidden + 3 * self.hidden * self.classes)

    @property
    def title(self) -> str:
        """What a row calls it."""
        return f"{self.name} {self.inputs}-{self.hidden}-{self.classes}, batch {self.batch}, Adam"

    def data(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """A batch of inputs from 0 to 1, and its labels."""
        generator = np.random.default_rng(0)
        x = generator.random((self.batch, self.inputs), dtype=np.float32)
        return x, generator.integers(0, self.classes, self.batch)


def our_step(network: Network) -> Step:
    """A step of ours."""
    x, labels = network.data()
    n, i, h, o = network.batch, network.inputs, network.hidden, network.classes
    model, loss = LinearFirst(n, i, h) >> ReLU(n, h) >> Linear(n, h, o), CrossEntropy(n, o)
    train = Train.new(model, Adam(RATE), model.init(Key(0)), record=True)
    return lambda: train.step(model, loss, x, labels)


def eager_step(network: Network) -> Step:
    """A step of PyTorch's as its user writes it, with its fused Adam."""
    x, labels, model = _theirs(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(cross_entropy(model(x), labels))
        optimizer.step()

    return step


def compiled_step(network: Network) -> Step:
    """The same with `torch.compile` over model and loss, forward and backward; the optimizer is the fused one."""
    x, labels, model = _theirs(network)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)

    def loss_of(pixels: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return cross_entropy(model(pixels), target)

    loss: Any = torch.compile(loss_of)

    def step() -> None:
        optimizer.zero_grad()
        torch.autograd.backward(loss(x, labels))
        optimizer.step()

    return step


def _theirs(network: Network) -> tuple[torch.Tensor, torch.Tensor, torch.nn.Module]:
    x, labels = network.data()
    model = torch.nn.Sequential(
        torch.nn.Linear(network.inputs, network.hidden),
        torch.nn.ReLU(),
        torch.nn.Linear(network.hidden, network.classes),
    )
    return torch.from_numpy(x), torch.from_numpy(labels), model
