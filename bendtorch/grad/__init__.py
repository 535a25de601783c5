"""Derivatives of tensor programs: a tape over float32 arrays of any rank."""

from __future__ import annotations

from bendtorch.grad.activations import gelu, gelu_erf, relu, silu
from bendtorch.grad.attention import attention
from bendtorch.grad.bridge import Past, Recorded, layer_of, record
from bendtorch.grad.checkpoint import checkpoint
from bendtorch.grad.convolution import conv2d
from bendtorch.grad.custom import Backward, custom
from bendtorch.grad.elementwise import (
    abs,  # noqa: A004
    add,
    div,
    erf,
    exp,
    log,
    maximum,
    minimum,
    mul,
    neg,
    reciprocal,
    sigmoid,
    sqrt,
    square,
    sub,
    tanh,
    where,
)
from bendtorch.grad.grads import Grads
from bendtorch.grad.graph import Graph, graph
from bendtorch.grad.indexing import embedding
from bendtorch.grad.lazy import Lazy
from bendtorch.grad.losses import cross_entropy, softmax_cross_entropy
from bendtorch.grad.normalisation import layer_norm, rms_norm
from bendtorch.grad.pooling import pool2d
from bendtorch.grad.precision import BF16, F16, F32, FP8
from bendtorch.grad.products import batch_matmul, matmul
from bendtorch.grad.random import dropout
from bendtorch.grad.reductions import (
    broadcast_to,
    max_to,
    mean,
    sum,  # noqa: A004
    sum_to,
)
from bendtorch.grad.rotary import rope
from bendtorch.grad.shapes import (
    concat,
    permute,
    reshape,
    slice,  # noqa: A004
    transpose,
)
from bendtorch.grad.softmax import log_softmax, softmax
from bendtorch.grad.var import Var

__all__ = [
    "BF16",
    "F16",
    "F32",
    "FP8",
    "Backward",
    "Grads",
    "Graph",
    "Lazy",
    "Past",
    "Recorded",
    "Var",
    "abs",
    "add",
    "attention",
    "batch_matmul",
    "broadcast_to",
    "checkpoint",
    "concat",
    "conv2d",
    "cross_entropy",
    "custom",
    "div",
    "dropout",
    "embedding",
    "erf",
    "exp",
    "gelu",
    "gelu_erf",
    "graph",
    "layer_norm",
    "layer_of",
    "log",
    "log_softmax",
    "matmul",
    "max_to",
    "maximum",
    "mean",
    "minimum",
    "mul",
    "neg",
    "permute",
    "pool2d",
    "reciprocal",
    "record",
    "relu",
    "reshape",
    "rms_norm",
    "rope",
    "sigmoid",
    "silu",
    "slice",
    "softmax",
    "softmax_cross_entropy",
    "sqrt",
    "square",
    "sub",
    "sum",
    "sum_to",
    "tanh",
    "transpose",
    "where",
]
