"""Tiny Llamas made by `transformers`: with random weights, saved and read, and the same in float64 throughout.

`.to(float64)` alone is no float64 model: its norms round to float32, and so do the tables of its rotation. Both are
replaced here. (Softmax, in the attention that is taken by default, has the type of its input.)
"""

from __future__ import annotations

import copy
import importlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from bendtorch.models import AnyLlama, LlamaConfig
from reference.errors import Array

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is looked for in the network
transformers: Final[Any] = importlib.import_module("transformers")  # with types mypy would read all of it
transformers.utils.logging.disable_progress_bar()

DEVIATION: Final = 0.25
MAKE: Final[Any] = LlamaConfig
IGNORED: Final = -100
CANCELLED: Final = 2.0**13  # over two positions most of the gradients of queries and keys cancels


@dataclass(frozen=True, slots=True)
class Sizes:
    """A configuration, and the batch: b sequences of t tokens; the error that each pass may have, in roundings."""

    name: str
    b: int
    t: int
    config: AnyLlama
    tolerance: float = 400.0


CASES: Final = (
    Sizes("untied, 2·2 heads of 8", 2, 16, MAKE(50, 32, 2, 2, 4, 48, 2, tied=False)),
    Sizes("tied, heads of 16 at width 32", 2, 16, MAKE(50, 32, 2, 2, 8, 64, 2, eps=1e-6, base=500.0)),
    Sizes("tied, T = 1, B = 1", 1, 1, MAKE(23, 16, 4, 1, 2, 20, 2)),
    Sizes("untied, T = 2, B = 1, heads of 10", 1, 2, MAKE(23, 24, 1, 3, 5, 20, 3, base=1e6, tied=False), CANCELLED),
)


def network(config: AnyLlama, **others: Any) -> Any:
    """A model of `transformers` of that configuration, with weights as it makes them."""
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=config.vocabulary,
            hidden_size=config.width,
            intermediate_size=config.inner,
            num_hidden_layers=config.depth,
            num_attention_heads=config.heads,
            num_key_value_heads=config.key_heads,
            head_dim=config.head_dim,
            rms_norm_eps=config.eps,
            rope_parameters={"rope_type": "default", "rope_theta": config.base},
            tie_word_embeddings=config.tied,
            **others,
        )
    )


def made(sizes: Sizes, seed: int) -> Any:
    """A model of `transformers` of that configuration: matrices of deviation 0.25, gains about 1."""
    torch.manual_seed(seed)
    model = network(sizes.config, initializer_range=DEVIATION, use_cache=False)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn(parameter.shape), alpha=DEVIATION)
    return model


def in_float64(model: Any) -> Any:
    """The same model with every number in float64."""
    wide = copy.deepcopy(model).double()
    for part in wide.modules():
        if type(part).__name__ == "LlamaRMSNorm":
            part.forward = _Norm(part)
        elif type(part).__name__ == "LlamaRotaryEmbedding":
            part.forward = _Rotary(wide.config)
    return wide


class _Norm:
    """RMSNorm in the type of its input."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.square().mean(-1, keepdim=True)
        result: torch.Tensor = self.part.weight * (x * torch.rsqrt(mean + self.part.variance_epsilon))
        return result


class _Rotary:
    """The tables of the rotation in float64."""

    def __init__(self, config: Any) -> None:
        self.half, self.base = config.head_dim // 2, config.rope_parameters["rope_theta"]

    def __call__(self, x: torch.Tensor, position_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        pairs = torch.arange(self.half, dtype=torch.float64)
        angles = position_ids[..., None].double() * self.base ** (-pairs / self.half)
        both = torch.cat((angles, angles), -1)
        return both.cos(), both.sin()


def batch(sizes: Sizes, seed: int) -> tuple[Array, Array]:
    """Tokens and targets; a fourth of the targets are ignored, but never all."""
    rng = np.random.default_rng([seed, sizes.b, sizes.t])
    count = sizes.b * sizes.t
    tokens, targets = (rng.integers(0, sizes.config.vocabulary, count) for _ in range(2))
    targets[1:][rng.random(count - 1) < 0.25] = IGNORED
    return tokens, targets


def loss_of(sizes: Sizes, model: Any, tokens: Array, targets: Array) -> tuple[torch.Tensor, torch.Tensor]:
    """The model's logits and loss."""
    logits = model(torch.tensor(tokens.reshape(sizes.b, sizes.t))).logits.reshape(len(tokens), -1)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(targets), ignore_index=IGNORED)
    return logits, loss


def results(sizes: Sizes, model: Any, tokens: Array, targets: Array) -> dict[str, Array]:
    """Logits, loss and the gradient of every tensor."""
    model.zero_grad()
    logits, loss = loss_of(sizes, model, tokens, targets)
    loss.backward()  # type: ignore[no-untyped-call]
    gradients = {gradient_of(name): each.grad.numpy() for name, each in model.named_parameters()}
    return {"logits": logits.detach().numpy(), "loss": loss.detach().numpy(), **gradients}


def gradient_of(name: str) -> str:
    """What the gradient of a tensor is called in the tables: `d layers.0.mlp.up_proj`."""
    return f"d {name.removeprefix('model.').removesuffix('.weight')}"


def by_names(names: Mapping[str, tuple[int, ...]], flat: Array) -> Iterator[tuple[str, Array]]:
    """The tensors of a dump, under the names of `transformers`."""
    start = 0
    for name, shape in names.items():
        stop = start + int(np.prod(shape))
        yield name, flat[start:stop].reshape(shape)
        start = stop


def folder_of(model: Any, **options: Any) -> tempfile.TemporaryDirectory[str]:
    """A folder where `transformers` has saved the model."""
    folder = tempfile.TemporaryDirectory(prefix="bendtorch-")
    model.save_pretrained(Path(folder.name), **options)
    return folder
