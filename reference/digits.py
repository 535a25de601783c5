"""The digits network, 64-64-10 with a ReLU, in ours and in PyTorch; its data; its gradients over a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.nn.functional import cross_entropy, linear, relu

from bendtorch import Key, Layer, Lin, Linear, LinearFirst, Mat, ReLU, Unit, batches
from bendtorch.shapes.arrays import FlatF32
from bendtorch.shapes.dims import Dim, N
from reference.errors import Array

PIXELS: Final = 64
HIDDEN: Final = 64
DIGITS: Final = 10
TRAINING: Final = 1437
BATCH: Final = 32

Parameters: TypeAlias = tuple[tuple[Lin[PIXELS, HIDDEN], Unit], Lin[HIDDEN, DIGITS]]
Tensors: TypeAlias = list[torch.Tensor]


@dataclass(frozen=True, slots=True)
class Data:
    """Pixels from 0 to 1 and labels, of the training and of the test digits."""

    x: Array
    labels: Array
    test_x: Array
    test_labels: Array


@cache
def data() -> Data:
    """scikit-learn's digits; the last 360 are the test set."""
    digits = load_digits()
    x, labels = (digits.data / 16).astype(np.float32), digits.target.astype(np.int64)
    return Data(x[:TRAINING], labels[:TRAINING], x[TRAINING:], labels[TRAINING:])


def mlp(n: Dim[N]) -> Layer[Parameters, Mat[N, PIXELS], Mat[N, DIGITS], Any]:
    """Our network, for batches of n digits."""
    return LinearFirst(n, PIXELS, HIDDEN) >> ReLU(n, HIDDEN) >> Linear(n, HIDDEN, DIGITS)


def initial(seed: int) -> FlatF32:
    """The network's initial parameters, in dump order: weight, bias, weight, bias."""
    model = mlp(BATCH)
    return model.dump(model.init(Key(seed)))


def some_batches(seed: int, count: int) -> Iterator[tuple[Array, Array]]:
    """`count` batches of the training digits; epochs are shuffled."""
    shuffled = batches(data().x, data().labels, BATCH, Key(seed).fold(1))
    for step in range(count):
        if step % len(shuffled) == 0:
            epoch = shuffled.epoch(step // len(shuffled))
        batch = next(epoch)
        yield batch.x, batch.target


def tensors(flat: Array, dtype: torch.dtype) -> Tensors:
    """The four parameters as PyTorch's leaves."""
    shapes = [leaf.stored_shape for leaf in mlp(BATCH).leaves]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    parts = zip(np.split(flat, ends), shapes, strict=True)
    return [torch.tensor(part.reshape(shape), dtype=dtype, requires_grad=True) for part, shape in parts]


def logits(parameters: Tensors, x: torch.Tensor) -> torch.Tensor:
    """PyTorch's network."""
    w1, b1, w2, b2 = parameters
    return linear(relu(linear(x, w1, b1)), w2, b2)


def backward(parameters: Tensors, x: Array, labels: Array) -> float:
    """The loss of PyTorch's network; its gradients go into the parameters' `grad`."""
    for parameter in parameters:
        parameter.grad = None
    loss = cross_entropy(logits(parameters, torch.tensor(x, dtype=parameters[0].dtype)), torch.tensor(labels))
    torch.autograd.backward(loss)
    return loss.item()


def flat(arrays: Tensors) -> Array:
    """Tensors as one flat array, in dump order."""
    return np.concatenate([array.detach().numpy().reshape(-1) for array in arrays])


def gradients_of(parameters: Tensors) -> Array:
    """The parameters' gradients as one flat array."""
    return flat([parameter.grad for parameter in parameters if parameter.grad is not None])


@cache
def gradient_sequence(seed: int, steps: int) -> tuple[FlatF32, list[FlatF32]]:
    """Initial parameters, and the gradients of a training run from there: in float64, each then rounded to float32."""
    start = initial(seed)
    parameters, gradients = tensors(start, torch.float64), []
    optimizer = torch.optim.SGD(parameters, lr=0.2)
    for x, labels in some_batches(seed, steps):
        backward(parameters, x, labels)
        gradients.append(gradients_of(parameters).astype(np.float32))
        optimizer.step()
    return start, gradients
