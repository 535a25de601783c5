"""Every layer that ships, written once more as a program on Vars: what L37 compares its backward pass with.

A program takes the layer, its input (Vars in the nest of its arrays; ids stay arrays), and a Var for each of its
matrices, in the order of `dump`. A matrix that is no weight (Dropout's counter) stays an array. `agrees` compares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch import grad
from bendtorch.grad.lazy import leaf
from bendtorch.grad.random import DropoutRule
from bendtorch.kernels.dropout import mask_key
from bendtorch.laws.nest import arrays_in, floats_in, mapped
from bendtorch.laws.trial import Trial
from tests.support.tape_models import linear

Program: TypeAlias = Callable[..., Any]


def _vector(row: grad.Var) -> grad.Var:
    return grad.reshape(row, row.shape[1:])


def _images(layer: Any, x: grad.Var) -> grad.Var:
    sizes = layer.info.sizes
    return grad.reshape(x, (sizes["n"], sizes["c"], sizes["h"], sizes["w"]))


def _rows(y: grad.Var) -> grad.Var:
    return grad.reshape(y, (y.shape[0], math.prod(y.shape[1:])))


def _convolution(layer: Any, x: grad.Var, weight: grad.Var, bias: grad.Var) -> grad.Var:
    sizes, options = layer.info.sizes, layer.info.options
    kernel = grad.reshape(weight, (sizes["o"], sizes["c"], sizes["kh"], sizes["kw"]))
    stride, padding = options.get("stride", 1), options.get("padding", 0)
    return _rows(grad.conv2d(_images(layer, x), kernel, _vector(bias), stride, padding))


def _rotation(layer: Any, x: grad.Var) -> grad.Var:
    sizes = layer.info.sizes
    sequences = grad.reshape(x, (x.shape[0] // sizes["t"], sizes["t"], x.shape[1]))
    return grad.reshape(grad.rope(sequences, 2 * sizes["half"], **layer.info.options), x.shape)


def _attention(layer: Any, x: Any) -> grad.Var:
    sizes, (q, (k, v)) = layer.info.sizes, x
    batches = [grad.reshape(y, (sizes["b"], sizes["t"], y.shape[1])) for y in (q, k, v)]
    options = {"causal": True, **layer.info.options}
    y = grad.attention(batches[0], batches[1], batches[2], heads=sizes["kv"], group=sizes["g"], **options)
    return grad.reshape(y, q.shape)


def _padded_attention(layer: Any, x: Any) -> grad.Var:
    """Attention step by step, with the keys beyond a sequence's length masked."""
    (q, (k, v)), lengths = x
    b, t, kv, g, hd = (layer.info.sizes[name] for name in ("b", "t", "kv", "g", "hd"))
    one = grad.reshape(q, (b, t, kv, g, hd))
    two, three = (grad.broadcast_to(grad.reshape(y, (b, t, kv, 1, hd)), (b, t, kv, g, hd)) for y in (k, v))
    heads = [grad.reshape(grad.permute(y, (0, 2, 3, 1, 4)), (b * kv * g, t, hd)) for y in (one, two, three)]
    scores = grad.batch_matmul(heads[0], heads[1], tb=True) * (1 / math.sqrt(hd))
    seen = np.tri(t, dtype=bool) & (np.arange(t) < np.repeat(lengths, kv * g)[:, None, None])
    masked = grad.where(q.graph.hold(leaf(seen.astype(np.float32))), scores, -math.inf)
    y = grad.reshape(grad.batch_matmul(grad.softmax(masked), heads[2]), (b, kv, g, t, hd))
    return grad.reshape(grad.permute(y, (0, 3, 1, 2, 4)), q.shape)


def _dropped(layer: Any, x: grad.Var, count: Any) -> grad.Var:
    """The mask of the layer's own word: `grad.dropout` has it from a key."""
    word = mask_key(layer.info.options["seed"], int(count.reshape(-1)[0]))
    return x.graph.record(DropoutRule(int(word), layer.info.options["p"]), x)


def _mlp(x: grad.Var, *leaves: grad.Var) -> grad.Var:
    for weight, bias in zip(leaves[::2], leaves[1::2], strict=True):
        x = grad.relu(linear(x, weight, bias))
    return x


def _columns(x: grad.Var, width: int) -> tuple[grad.Var, grad.Var]:
    return grad.slice(x, 1, 0, width), grad.slice(x, 1, width, x.shape[1])


LAYERS: Final[Mapping[str, Program]] = {
    "ActIn": lambda layer, x: grad.silu(x),
    "ActOut": lambda layer, x: grad.log(1.0 + grad.exp(x)),
    "Attention": _attention,
    "AvgPool2d": lambda layer, x: _rows(grad.pool2d(_images(layer, x), layer.info.sizes["k"], average=True)),
    "Conv2d": _convolution,
    "Dropout": _dropped,
    "Embedding": lambda layer, ids, table: grad.embedding(table, ids),
    "GELU": lambda layer, x: grad.gelu(x),
    "GELUErf": lambda layer, x: grad.gelu_erf(x),
    "LayerNorm": lambda layer, x, weight, bias: grad.layer_norm(x, _vector(weight), _vector(bias)),
    "Linear": lambda layer, x, weight, bias: linear(x, weight, bias),
    "LinearFirst": lambda layer, x, weight, bias: linear(x, weight, bias),
    "LinearNB": lambda layer, x, weight: linear(x, weight),
    "LogSoftmax": lambda layer, x: grad.log_softmax(x),
    "MaxPool2d": lambda layer, x: _rows(grad.pool2d(_images(layer, x), layer.info.sizes["k"])),
    "PaddedAttention": _padded_attention,
    "RMSNorm": lambda layer, x, weight: grad.rms_norm(x, _vector(weight)),
    "ReLU": lambda layer, x: grad.relu(x),
    "RoPE": _rotation,
    "SiLU": lambda layer, x: grad.silu(x),
    "Sigmoid": lambda layer, x: grad.sigmoid(x),
    "Softmax": lambda layer, x: grad.softmax(x),
    "Tanh": lambda layer, x: grad.tanh(x),
}

COMBINATORS: Final[Mapping[str, Program]] = {
    "Add2": lambda layer, x: x[0] + x[1],
    "Assoc": lambda layer, x: (x[0][0], (x[0][1], x[1])),
    "Both": lambda layer, x, weight, bias, other: (linear(x[0], weight, bias), linear(x[1], other)),
    "Concat": lambda layer, x: grad.concat(x, 1),
    "Copy": lambda layer, x: (x, x),
    "Drop": lambda layer, x: (),
    "Fork": lambda layer, x, weight, bias: (linear(x, weight, bias), grad.relu(x)),
    "Id": lambda layer, x: x,
    "Mul2": lambda layer, x: x[0] * x[1],
    "Permute": lambda layer, x: grad.reshape(
        grad.permute(grad.reshape(x, (layer.info.sizes["a"], layer.info.sizes["b"], x.shape[1])), (1, 0, 2)), x.shape
    ),
    "Repeat": lambda layer, x, *leaves: _mlp(x, *leaves),
    "Reshape": lambda layer, x: grad.reshape(x, layer.info.gives.shape),
    "Residual": lambda layer, x, weight, bias: x + linear(x, weight, bias),
    "Seq": lambda layer, x, weight, bias, last: linear(_mlp(x, weight, bias), last),
    "Split": lambda layer, x: _columns(x, layer.info.sizes["a"]),
    "Swap": lambda layer, x: (x[1], x[0]),
    "Tie": lambda layer, x, shared, weight, bias: linear(linear(linear(x, shared), weight, bias), shared),
}

CLOSE: Final = 2.0**-16
"""What sums in another order may differ by, as a part of the largest number among the terms: as in the laws."""


def as_leaf(g: grad.Graph, array: Any) -> Any:
    """An array on the tape, if it is one of numbers."""
    return g.input(array) if array.dtype == np.float32 else array


def vars_in(nest: Any) -> Iterator[grad.Var]:
    """The Vars in nested tuples."""
    for part in nest if isinstance(nest, tuple) else (nest,):
        if isinstance(part, tuple):
            yield from vars_in(part)
        elif isinstance(part, grad.Var):
            yield part


def weighed(g: grad.Graph, ys: Any, dy: Any) -> grad.Var:
    """The sum of y·dy over what a layer gives: its gradients are those for dy."""
    parts = [grad.sum(y * g.constant(d)) for y, d in zip(vars_in(ys), arrays_in(dy), strict=True)]
    return sum(parts, g.constant(np.zeros((), np.float32)))


def agrees(program: Program, trial: Trial) -> bool:
    """Whether output and gradients of a layer are close to those of its program."""
    layer, p = trial.layer, trial.p
    g = grad.graph()
    x, leaves = mapped(lambda a: as_leaf(g, a), trial.x), tuple(as_leaf(g, a) for a in arrays_in(p))
    y = program(layer, x, *leaves)
    grads = g.backward(weighed(g, y, trial.dy))
    done = layer.fwd(p, trial.x)
    back = layer.bwd(p, done.s, trial.dy, layer.zeros())
    size = 1 + max(float(np.abs(a).max(initial=0)) for a in floats_in((done.y, back.g, back.dx, trial.dy)))
    pairs = list(zip((g.value(v) for v in vars_in(y)), arrays_in(done.y), strict=True))
    pairs += zip(map(grads.of, vars_in(leaves)), floats_in(back.g), strict=True)
    if layer.info.input_gradient:
        pairs += zip(map(grads.of, vars_in(x)), floats_in(back.dx), strict=True)
    return all(a.shape == b.shape and np.abs(a - b).max(initial=0) <= CLOSE * size for a, b in pairs)
