"""Training steps of Llama models: forward, cross-entropy, backward and AdamW.

The two small ones beside the same model of PyTorch's fused functions (`rms_norm`, `scaled_dot_product_attention`), the
one of SmolLM2-135M's sizes beside `transformers`; all with PyTorch's fused AdamW, eager and compiled. All are tied;
weights are random. `reference.bench.memory` measures the memory of the last one's step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional as of

from bendtorch import AdamW, CrossEntropy, Key, Train
from bendtorch.models import Llama
from bendtorch.models.init import init_normal
from bendtorch.optim.config import Optimizer
from bendtorch.rewrite import fused
from reference.bench.llama_pytorch import Plain, transformers
from reference.bench.llama_shape import SMALL, SMOLLM2, TINY, Shape
from reference.bench.registry import Call, Contest, Row

RATE: Final = 1e-3
ADAMW: Final = AdamW(RATE)


def rows() -> Iterator[Row]:
    """Three sizes; compiling takes PyTorch many seconds, and each step of SmolLM2's size some."""
    for name, shape, make in (
        ("2×32, T 16, B 8, vocabulary 64", TINY, Plain),
        ("4×288, T 128, B 4, vocabulary 8192", SMALL, Plain),
        ("SmolLM2-135M, T 128, B 2", SMOLLM2, transformers),
    ):
        yield Row(name, partial(_contest, shape, make, "eager"), shape.flops, long=shape is SMOLLM2)
        yield Row(f"{name}, compiled", partial(_contest, shape, make, "compiled"), shape.flops, long=True)


def _contest(shape: Shape, make: Callable[[Shape], nn.Module], kind: str) -> Contest:
    model = make(shape)
    theirs = their_step(shape, model if kind == "eager" else torch.compile(model))
    rival = "transformers" if make is transformers and kind == "eager" else kind
    return Contest(our_step(shape), {f"{rival}, fused AdamW": theirs})


def their_step(shape: Shape, model: Callable[..., Any]) -> Call:
    """A step of PyTorch's model."""
    ids, labels = (torch.from_numpy(part).view(shape.b, shape.t) for part in _tokens(shape))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, fused=True)  # type: ignore[attr-defined]

    def step() -> None:
        optimizer.zero_grad()
        loss = of.cross_entropy(model(ids).view(-1, shape.v), labels.view(-1))
        torch.autograd.backward(loss)
        optimizer.step()

    return step


def our_step(shape: Shape, optimizer: Optimizer = ADAMW, *, rewritten: bool = True, record: bool = True) -> Call:
    """A step of ours."""
    s = shape
    model = Llama(s.b, s.t, s.v, s.d, s.kv, s.g, s.half, s.f, s.depth)
    model = fused(model) if rewritten else model
    train, loss = Train.new(model, optimizer, init_normal(model, Key(0)), record=record), CrossEntropy(s.b * s.t, s.v)
    ids, labels = _tokens(s)
    return lambda: train.step(model, loss, ids, labels)


def _tokens(shape: Shape) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    ids, labels = rng.integers(0, shape.v, (2, shape.b * shape.t))
    return ids, labels
