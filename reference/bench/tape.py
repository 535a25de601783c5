"""The tape: what recording an operation costs, and whole passes on it beside the layers' and PyTorch's.

A step is the forward pass, the loss and the gradient of every parameter. Ours is the tape; the layers' hand-written
passes are a rival.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import bendtorch
from bendtorch import Key, grad
from bendtorch.grad.lazy import leaf
from bendtorch.models import init_normal
from reference.bench.registry import Contest, Row
from reference.errors import Array
from reference.inputs import normal
from reference.models.llama import BASE, EPS, in_torch
from tests.support.tape_models import linear, llama

OPERATIONS: Final = 1000
MLP: Final = (1024, 64, 256, 10)  # rows, inputs, hidden, classes
LLAMA: Final = (8, 64, 512, 128, 2, 2, 16, 384, 4)  # b, t, v, d, kv, g, half, f, depth

OF: Final[Any] = bendtorch  # with sizes that mypy need not follow

Leaves: TypeAlias = Sequence[grad.Var]
Tensors: TypeAlias = Sequence[torch.Tensor]


def rows() -> Iterator[Row]:
    """Recording, and two models."""
    yield Row(f"record {OPERATIONS} operations", _recording)
    n, i, h, o = MLP
    yield Row(f"gradients of an MLP {i}-{h}-{h}-{o}, batch {n}", _mlp, flops=6 * n * (i * h + h * h + h * o))
    yield Row(f"gradients of a Llama of {LLAMA[-1]} blocks, {LLAMA[0]}×{LLAMA[1]} tokens", _llama)


def _recording() -> Contest:
    """Operations on one number each: a product, a sum with a number, a tanh, a negation, and so on."""
    g, one = grad.graph(), np.full(1, 0.5, np.float32)
    x, tensor = g.input(one), torch.tensor(one, requires_grad=True)

    def chain(y: Any, tanh: Callable[[Any], Any]) -> Any:
        for _ in range(OPERATIONS // 4):
            y = tanh(-(y * y + 0.5))
        return y

    return Contest(lambda: chain(x, grad.tanh), {"eager": lambda: chain(tensor, torch.tanh)})


def _mlp() -> Contest:
    n, i, h, o = MLP
    rng = np.random.default_rng(0)
    model = OF.Linear(n, i, h) >> OF.ReLU(n, h) >> OF.Linear(n, h, h) >> OF.ReLU(n, h) >> OF.Linear(n, h, o)
    x, labels = normal(rng, (n, i)), rng.integers(0, o, n)

    def on_the_tape(leaves: Leaves) -> grad.Var:
        y = leaves[0].graph.hold(leaf(x))
        for layer in range(0, len(leaves), 2):
            y = linear(grad.relu(y) if layer else y, leaves[layer], leaves[layer + 1])
        return y

    def in_eager(leaves: Tensors) -> torch.Tensor:
        y = torch.from_numpy(x)
        for layer in range(0, len(leaves), 2):
            y = torch.addmm(leaves[layer + 1], torch.relu(y) if layer else y, leaves[layer].T)
        return y

    return _steps(model, model.init(Key(0)), x, labels, on_the_tape, in_eager)


def _llama() -> Contest:
    b, t, v, _, kv, group, half, _, depth = LLAMA
    rng, model = np.random.default_rng(0), OF.models.Llama(*LLAMA)
    ids, labels = rng.integers(0, v, b * t), rng.integers(0, v, b * t)
    names = [leaf.name for leaf in model.leaves]

    def in_eager(leaves: Tensors) -> torch.Tensor:
        named = dict(zip(names, leaves, strict=True))
        return in_torch(LLAMA, names, True, torch.from_numpy(ids), eps=EPS, base=BASE, **named)

    def on_the_tape(leaves: Leaves) -> grad.Var:
        return llama(ids.reshape(b, t), leaves, kv, group, half, depth)

    return _steps(model, init_normal(model, Key(0)), ids, labels, on_the_tape, in_eager)


def _steps(
    model: Any,
    p: Any,
    x: Array,
    labels: Array,
    on_the_tape: Callable[[Leaves], grad.Var],
    in_eager: Callable[[Tensors], torch.Tensor],
) -> Contest:
    """The gradients of every parameter, by the tape, the layers and PyTorch."""
    matrices, loss = model.matrices(p), OF.CrossEntropy(*model.info.gives.shape)
    target = torch.from_numpy(labels)
    tensors = [torch.tensor(m, requires_grad=True) for m in matrices]
    total = model.zeros()

    def tape() -> None:
        g = grad.graph()
        leaves = [g.input(m) for m in matrices]
        grads = g.backward(grad.cross_entropy(on_the_tape(leaves), labels))
        for v in leaves:
            grads.of(v)

    def layers() -> None:
        done = model.fwd(p, x)
        model.bwd(p, done.s, loss(done.y, labels).dy, total)

    return Contest(tape, {"layers": layers, "eager": partial(_eager, in_eager, tensors, target)})


def _eager(in_eager: Callable[[Tensors], torch.Tensor], tensors: Tensors, target: torch.Tensor) -> None:
    torch.autograd.grad(cross_entropy(in_eager(tensors), target), tensors)
