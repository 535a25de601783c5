"""Llama models of PyTorch: one as a user writes it, of PyTorch's fused functions, and the one of `transformers`."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as of

from reference.bench.llama_shape import Shape


class Block(nn.Module):
    """A transformer block as a PyTorch user writes it."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape, heads = shape, 2 * shape.half * shape.kv
        self.norm, self.norm2 = nn.RMSNorm(shape.d, 1e-5), nn.RMSNorm(shape.d, 1e-5)
        self.q, self.k, self.v, self.o = (
            nn.Linear(*sizes, bias=False)
            for sizes in ((shape.d, heads * shape.g), (shape.d, heads), (shape.d, heads), (heads * shape.g, shape.d))
        )
        self.gate, self.up = (nn.Linear(shape.d, shape.f, bias=False) for _ in range(2))
        self.down = nn.Linear(shape.f, shape.d, bias=False)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        """The block's output."""
        a, s = self.norm(x), self.shape
        q, k, v = (layer(a).view(s.b, s.t, -1, 2 * s.half).transpose(1, 2) for layer in (self.q, self.k, self.v))
        q, k = _rotated(q, cos, sin), _rotated(k, cos, sin)
        y = of.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=s.g > 1)
        x = x + self.o(y.transpose(1, 2).reshape(s.b, s.t, -1))
        a = self.norm2(x)
        out: torch.Tensor = x + self.down(of.silu(self.gate(a)) * self.up(a))
        return out


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    one, two = x.chunk(2, -1)
    return x * cos + torch.cat((-two, one), -1) * sin


class Plain(nn.Module):
    """The model, with its tables of angles ready."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.table = nn.Embedding(shape.v, shape.d)
        nn.init.normal_(self.table.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.depth))
        self.norm = nn.RMSNorm(shape.d, 1e-5)
        powers = 10000.0 ** (-torch.arange(shape.half) / shape.half)
        angles = torch.outer(torch.arange(shape.t), torch.cat((powers, powers)))
        self.cos, self.sin = angles.cos(), angles.sin()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The logits."""
        x = self.table(ids)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return of.linear(self.norm(x), self.table.weight)


def transformers(shape: Shape) -> nn.Module:
    """`transformers`' model of a shape, giving logits."""
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415  seconds to import

    config = LlamaConfig(
        vocab_size=shape.v,
        hidden_size=shape.d,
        intermediate_size=shape.f,
        num_hidden_layers=shape.depth,
        num_attention_heads=shape.kv * shape.g,
        num_key_value_heads=shape.kv,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        use_cache=False,
    )

    class Logits(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model: Any = LlamaForCausalLM(config)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(ids).logits
            return logits

    return Logits()
