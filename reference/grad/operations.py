"""Every operation of the tape that PyTorch has, on PyTorch's own sample inputs of it.

Their numbers go to 9, where functions that saturate have derivatives that are differences of equal numbers: these are
given normal ones instead. Norms are in `programs`: PyTorch's samples have rows of one and two numbers, which have no
gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from bendtorch import grad
from reference.compare import Case, Draw, Row, judge_all
from reference.grad.judged import draw
from reference.grad.samples import Adapter, Sample, programs

TOLERANCE: Final = 64  # roundings of the terms: the largest sum has some hundred of them


def _plain(call: Callable[..., grad.Var]) -> Adapter:
    """An operation that takes the tensors and nothing else."""
    return lambda s: call if not s.kwargs and not any(_is_option(a) for a in s.args) else None


def _is_option(argument: Any) -> bool:
    return not (isinstance(argument, torch.Tensor) and argument.is_floating_point())


def _matmul(s: Sample) -> Callable[..., grad.Var] | None:
    x, y = s.shapes
    return grad.matmul if (len(x) >= 2 and len(y) == 2) or (len(x) == len(y) == 3 and x[0] == y[0]) else None


def _transpose(s: Sample) -> Callable[..., grad.Var]:
    axes = list(range(len(s.shapes[0])))
    if axes:
        i, j = s.args
        axes[i], axes[j] = axes[j], axes[i]
    return lambda x: grad.permute(x, axes)


def _reshape(s: Sample) -> Callable[..., grad.Var] | None:
    return (lambda x: grad.reshape(x, s.args[0])) if -1 not in s.args[0] else None


def _permute(s: Sample) -> Callable[..., grad.Var]:
    return lambda x: grad.permute(x, s.args[0])


def _narrow(s: Sample) -> Callable[..., grad.Var] | None:
    axis, start, length = s.args
    if isinstance(start, torch.Tensor) or start < 0:
        return None
    return lambda x: grad.slice(x, axis, start, start + length)


def _cat(s: Sample) -> Callable[..., grad.Var] | None:
    if len({len(shape) for shape in s.shapes}) > 1:
        return None  # PyTorch joins an empty vector to anything
    return lambda *xs: grad.concat(xs, s.kwargs.get("dim", s.args[0] if s.args else 0))


def _reduced(call: Callable[..., grad.Var]) -> Adapter:
    """A reduction over axes, which are kept as 1 and then, where they are not to be, left out."""

    def adapter(s: Sample) -> Callable[..., grad.Var]:
        (shape,) = s.shapes
        given = s.kwargs.get("dim", ())
        axes = {axis % len(shape) for axis in np.atleast_1d(given).astype(int)} if shape else set()
        axes = axes or set(range(len(shape)))
        kept = tuple(1 if i in axes else size for i, size in enumerate(shape))
        left = tuple(size for i, size in enumerate(shape) if i not in axes)
        return lambda x: grad.reshape(call(x, kept), kept if s.kwargs.get("keepdim") else left)

    return adapter


def _mean(x: grad.Var, shape: tuple[int, ...]) -> grad.Var:
    return grad.sum_to(x, shape) / (np.prod(x.shape) / np.prod(shape))


def _sum_to_size(s: Sample) -> Callable[..., grad.Var]:
    return lambda x: grad.sum_to(x, s.args[0] if isinstance(s.args[0], (tuple, list)) else s.args)


def _broadcast_to(s: Sample) -> Callable[..., grad.Var]:
    return lambda x: grad.broadcast_to(x, s.args[0])


def _rows(call: Callable[..., grad.Var]) -> Adapter:
    """Over the last axis."""
    return lambda s: call if s.shapes[0] and s.args[0] % len(s.shapes[0]) == len(s.shapes[0]) - 1 else None


def _cross_entropy(s: Sample) -> Callable[..., grad.Var] | None:
    if len(s.shapes[0]) != 2 or s.kwargs.get("reduction", "mean") != "mean" or set(s.kwargs) - {"reduction"}:
        return None
    target = s.args[0]
    if target.is_floating_point():
        return grad.softmax_cross_entropy
    return lambda x: grad.cross_entropy(x, target.numpy())


def _gelu(s: Sample) -> Callable[..., grad.Var]:
    return grad.gelu if s.kwargs["approximate"] == "tanh" else grad.gelu_erf


def _attention(s: Sample) -> Callable[..., grad.Var] | None:
    fits = len(s.shapes) == 3 and all(len(shape) == 3 for shape in s.shapes) and len({x[0] for x in s.shapes}) == 1
    options = dict(s.kwargs)
    if not fits or options.pop("dropout_p", 0.0) or options.pop("enable_gqa", False):
        return None
    causal, scale = options.pop("is_causal", False), options.pop("scale", None)
    return None if options else lambda q, k, v: grad.attention(q, k, v, causal=causal, scale=scale)


def _embedding(s: Sample) -> Callable[..., grad.Var] | None:
    return None if s.kwargs else lambda table: grad.embedding(table, s.args[0].numpy())


def _conv2d(s: Sample) -> Callable[..., grad.Var] | None:
    stride, padding = s.kwargs.get("stride", 1), s.kwargs.get("padding", 0)
    stride = stride[0] if isinstance(stride, (tuple, list)) and len(set(stride)) == 1 else stride
    padding = {"valid": 0}.get(padding, padding) if isinstance(padding, str) else padding
    if len(s.shapes[0]) != 4 or s.kwargs.get("groups", 1) != 1 or s.kwargs.get("dilation", 1) != 1:
        return None
    if len(s.shapes) != 3 or not isinstance(stride, int) or not isinstance(padding, int):
        return None
    return lambda x, weight, bias: grad.conv2d(x, weight, bias, stride, padding)


def _max_pool2d(s: Sample) -> Callable[..., grad.Var] | None:
    size, stride = s.kwargs["kernel_size"], s.kwargs["stride"]
    unusual = s.kwargs["ceil_mode"] or s.kwargs["padding"] or s.kwargs["dilation"] != 1 or s.kwargs["return_indices"]
    if unusual or len(s.shapes[0]) != 4 or not isinstance(size, int) or not isinstance(stride, (int, type(None))):
        return None
    return lambda x: grad.pool2d(x, size, stride)


def _avg_pool2d(s: Sample) -> Callable[..., grad.Var] | None:
    if len(s.args) != 2 or len(s.shapes[0]) != 4:
        return None
    size, stride = s.args
    return lambda x: grad.pool2d(x, size, stride, average=True)


OPERATIONS: Final[dict[str, tuple[str, Adapter]]] = {
    "div": ("div/no_rounding_mode", _plain(grad.div)),
    **{name: (name, _plain(getattr(grad, name))) for name in ("add", "sub", "mul", "maximum", "minimum")},
    **{name: (name, _plain(getattr(grad, name))) for name in ("neg", "exp", "log", "tanh", "sigmoid", "erf")},
    **{name: (name, _plain(getattr(grad, name))) for name in ("square", "sqrt", "abs", "reciprocal")},
    "relu": ("nn.functional.relu", _plain(grad.relu)),
    "silu": ("nn.functional.silu", _plain(grad.silu)),
    "gelu": ("nn.functional.gelu", _gelu),
    "matmul": ("matmul", _matmul),
    "batch_matmul": ("bmm", _plain(grad.batch_matmul)),
    "transpose": ("mT", lambda s: grad.transpose),
    "swapped axes": ("transpose", _transpose),
    "reshape": ("reshape", _reshape),
    "permute": ("permute", _permute),
    "slice": ("narrow", _narrow),
    "concat": ("cat", _cat),
    "sum": ("sum", _reduced(grad.sum_to)),
    "mean": ("mean", _reduced(_mean)),
    "max_to": ("amax", _reduced(grad.max_to)),
    "sum_to": ("sum_to_size", _sum_to_size),
    "broadcast_to": ("broadcast_to", _broadcast_to),
    "softmax": ("softmax", _rows(grad.softmax)),
    "log_softmax": ("log_softmax", _rows(grad.log_softmax)),
    "cross_entropy": ("nn.functional.cross_entropy", _cross_entropy),
    "attention": ("nn.functional.scaled_dot_product_attention", _attention),
    "embedding": ("nn.functional.embedding", _embedding),
    "conv2d": ("nn.functional.conv2d", _conv2d),
    "pool2d, max": ("nn.functional.max_pool2d", _max_pool2d),
    "pool2d, average": ("nn.functional.avg_pool2d", _avg_pool2d),
}


SATURATING: Final = ("tanh", "sigmoid", "gelu", "silu", "softmax", "log_softmax", "attention")
CROSSING: Final = ("gelu", "silu")  # their derivatives are differences, and 0 somewhere


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts on every operation."""
    most = 16 if quick else 64
    return judge_all([Case(name, partial(_sampled, name), TOLERANCE, most=most) for name in OPERATIONS])


def _sampled(name: str, seed: int) -> Draw:
    operation, adapter = OPERATIONS[name]
    return draw(programs(operation, adapter, name in SATURATING, seed, deep=name in CROSSING), seed)
