"""The digits network in training: 100 steps beside PyTorch and float64, then the accuracy that whole runs reach.

The 100 steps start from the same parameters and see the same batches, under Adam. Gradients and parameters are looked
at after 1, 10 and 100 of them. What one step rounds, the next steps carry on: a parameter's or gradient's scale is the
root mean square of its matrix, because by then an element's error has little to do with its own size.

The accuracies are means over five seeds of 30 epochs, each network with its own initialisation and shuffling.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import torch

from bendtorch import Adam, CrossEntropy, Dim, Ids, Key, Layer, Loss, Mat, Train, accuracy, batches, fit
from bendtorch.shapes.dims import N
from reference.compare import Case, Draw, Row, judge
from reference.digits import (
    BATCH,
    DIGITS,
    HIDDEN,
    PIXELS,
    TRAINING,
    Parameters,
    backward,
    data,
    flat,
    gradients_of,
    initial,
    mlp,
    some_batches,
    tensors,
)
from reference.errors import Array

STEPS: Final = 100
LOOK: Final = (1, 10, 100)
RATE: Final = 1e-3
EPOCHS: Final = 30
SEEDS: Final = range(5)
REQUIRED: Final = 0.893
TOLERANCE: Final = 20_000  # 0.1 % of a matrix's root mean square, after 100 steps of growth


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on the steps and on the accuracy."""
    yield from judge(Case(f"{STEPS} steps of Adam", _draw, TOLERANCE, most=8 if quick else 40))
    yield accuracies(_our_accuracy, _their_accuracy)


def _draw(seed: int) -> Draw:
    exact = _their_steps(seed, torch.float64)
    scale = {name: _matrix_sizes(array) for name, array in exact.items() if array.ndim}
    return Draw(_our_steps(seed), _their_steps(seed, torch.float32), exact, scale)


def _matrix_sizes(values: Array) -> Array:
    """For each number of a flat array of parameters, the root mean square of the matrix it belongs to."""
    sizes, start = np.empty(values.size), 0
    for leaf in mlp(BATCH).leaves:
        part = slice(start, start + leaf.cells)
        sizes[part] = np.sqrt(np.mean(np.square(values[part])))
        start += leaf.cells
    return sizes


def _our_steps(seed: int) -> dict[str, Array]:
    """What ours has at the steps to look at."""
    seen: dict[str, Array] = {}
    model_of: Callable[[int], Layer[Parameters, Array, Array, Any]] = mlp
    loss_of: Callable[[int], Loss[Array, Array]] = cross_entropy
    train = Train.new(mlp(BATCH), Adam(RATE), mlp(BATCH).init(Key(seed)))
    for step, (x, labels) in enumerate(some_batches(seed, STEPS), start=1):
        model, loss = model_of(len(x)), loss_of(len(x))
        forward = model.fwd(train.p, x)
        out = loss(forward.y, labels)
        train.g = model.bwd(train.p, forward.s, out.dy, train.g).g
        gradient = model.dump(train.g)
        train.apply(model)
        if step in LOOK:
            seen |= _named(step, out.loss, gradient, model.dump(train.p))
    return seen


def _their_steps(seed: int, dtype: torch.dtype) -> dict[str, Array]:
    """What PyTorch has at the steps to look at."""
    seen: dict[str, Array] = {}
    parameters = tensors(initial(seed), dtype)
    optimizer = torch.optim.Adam(parameters, lr=RATE)
    for step, (x, labels) in enumerate(some_batches(seed, STEPS), start=1):
        loss = backward(parameters, x, labels)
        gradient = gradients_of(parameters)
        optimizer.step()
        if step in LOOK:
            seen |= _named(step, loss, gradient, flat(parameters))
    return seen


def _named(step: int, loss: float, gradient: Array, parameters: Array) -> dict[str, Array]:
    return {
        f"loss, step {step}": np.asarray(loss),
        f"gradient, step {step}": gradient.copy(),
        f"parameters, step {step}": parameters.copy(),
    }


def accuracies(ours: Callable[[int], float], theirs: Callable[[int], float]) -> Row:
    """The mean accuracies over the seeds; ours must reach what is required."""
    mine, other = [ours(seed) for seed in SEEDS], [theirs(seed) for seed in SEEDS]
    mean = statistics.mean(mine)
    fault = "" if mean >= REQUIRED else f"{mean:.4f}, at least {REQUIRED} required"
    return Row("30 epochs", "test accuracy, mean (least)", _mean(mine), _mean(other), draws=len(SEEDS), fault=fault)


def _mean(values: list[float]) -> str:
    return f"{statistics.mean(values):.4f} ({min(values):.3f})"


def _our_accuracy(seed: int) -> float:
    """The test accuracy of our network."""
    initial, order = Key(seed).split(2)
    known = data()
    train = Train.new(mlp(BATCH), Adam(RATE), mlp(BATCH).init(initial))
    fit(train, mlp, cross_entropy, batches(known.x, known.labels, BATCH, order), EPOCHS, show_progress=False)
    tests = len(known.test_x)
    test = mlp(tests)
    return accuracy(test.fwd(train.p, known.test_x).y, known.test_labels)


def cross_entropy(n: Dim[N]) -> Loss[Mat[N, DIGITS], Ids[N]]:
    """Our loss, for batches of n digits."""
    return CrossEntropy(n, DIGITS)


def _their_accuracy(seed: int) -> float:
    """The test accuracy of PyTorch's network, as its users write it."""
    torch.manual_seed(seed)
    known = data()
    model = torch.nn.Sequential(torch.nn.Linear(PIXELS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, DIGITS))
    optimizer, loss = torch.optim.Adam(model.parameters(), lr=RATE), torch.nn.CrossEntropyLoss()
    x, labels = torch.from_numpy(known.x), torch.from_numpy(known.labels)
    for _ in range(EPOCHS):
        for rows in torch.split(torch.randperm(TRAINING), BATCH):
            optimizer.zero_grad()
            torch.autograd.backward(loss(model(x[rows]), labels[rows]))
            optimizer.step()
    with torch.no_grad():
        answers = model(torch.from_numpy(known.test_x)).argmax(1).numpy()
    return float(np.mean(answers == known.test_labels))
