"""Models in GGUF files, the format of llama.cpp: a Llama's configuration, weights and tokens.

    found = load_gguf("SmolLM2-135M-Instruct.Q4_1.gguf")
    model = found.config.model(1, 128)
    p = model.zeros()
    model.load(p, found.weights, 0)

Weights in any of the format's types are made float32. llama.cpp turns neighbouring numbers of a head together where
this package and `transformers` turn its halves (`RoPE`), so its files hold the rows of q and k in another order, which
is undone here. Reading needs the package `gguf` (`pip install "bendtorch[chat]"`).
"""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.models.config import AnyLlama, LlamaConfig
from bendtorch.shapes.arguments import as_path
from bendtorch.shapes.arrays import FlatF32

ARCHITECTURE: Final = "llama"
ATTENTION: Final = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output")
FEED_FORWARD: Final = ("ffn_norm", "ffn_gate", "ffn_up", "ffn_down")
UNSUPPORTED: Final = {
    "rope.scaling": "scaling of RoPE",
    "attention.sliding_window": "a sliding window",
    "attention.clamp_kqv": "clamped queries, keys and values",
    "expert": "a mixture of experts",
    "attention.scale": "a scale of its own for attention",
    "attention.logit_softcapping": "soft-capped scores",
    "logit_scale": "scaled logits",
    "embedding_scale": "scaled embeddings",
    "residual_scale": "scaled residuals",
}
HARMLESS: Final = {"none", "", 0, None}


@dataclass(frozen=True)
class TokenList:
    """The tokens of a model, as its file lists them: what `Tokenizer.of` makes a tokenizer from.

    `model` and `pre` name the kind of tokenizer ("gpt2", "smollm"), `kinds` of each token whether it is an ordinary one
    (1) or marks something (3, 4), `merges` the pairs that byte-pair encoding joins, in their order.
    """

    model: str
    pre: str
    pieces: tuple[str, ...]
    kinds: tuple[int, ...]
    merges: tuple[str, ...]
    chat_template: str | None


@dataclass(frozen=True)
class GGUFModel:
    """What a file holds: the configuration, the weights in the order of the model's dump, the tokens if it has them."""

    config: AnyLlama
    weights: FlatF32
    tokens: TokenList | None


def load_gguf(path: str | os.PathLike[str]) -> GGUFModel:
    """Read a Llama from a GGUF file.

    Raises `CheckpointError` when the file cannot be read or lacks something, and `ConfigError` when what it holds is
    not supported: another architecture, biases, scaling of RoPE, a sliding window, experts; each by its name.
    """
    file = as_path("load_gguf", path)
    reader = _reader(str(file))
    fields = {name: field.contents() for name, field in reader.fields.items()}
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    try:
        config = _config(fields, tensors)
        return GGUFModel(config, _weights(config, tensors, fields), _tokens(fields))
    except KeyError as error:
        raise CheckpointError(f"{file}: {error.args[0]} is missing; the file is no complete Llama") from error


def _reader(path: str) -> Any:
    """The file, opened: its tensors are read when they are asked for."""
    try:
        package = importlib.import_module("gguf")
    except ImportError as error:
        raise ConfigError('load_gguf needs the package gguf: pip install "bendtorch[chat]"') from error
    try:
        return package.GGUFReader(path)
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from error
    except Exception as error:  # a damaged file fails in whatever the reader meets first
        raise CheckpointError(f"{path} is no GGUF file that can be read: {error}") from error


def _config(fields: dict[str, Any], tensors: dict[str, Any]) -> AnyLlama:
    """The configuration; refuses by name what the model does not have."""
    if fields["general.architecture"] != ARCHITECTURE:
        raise ConfigError(f"load_gguf: only the architecture llama is supported, got {fields['general.architecture']}")
    own = {name.removeprefix("llama."): value for name, value in fields.items() if name.startswith("llama.")}
    _refuse_unsupported(own, int(fields.get("split.count", 1)))
    d, heads = int(own["embedding_length"]), int(own["attention.head_count"])
    kv = int(own.get("attention.head_count_kv", heads))
    if heads % kv or d <= 0:
        raise ConfigError(f"load_gguf: {heads} heads of queries are no multiple of {kv} heads of keys")
    hd = int(own.get("attention.key_length", d // heads))
    for name in ("attention.value_length", "rope.dimension_count"):
        if int(own.get(name, hd)) != hd:
            raise ConfigError(f"load_gguf: {name} is {own[name]}, only heads of one width ({hd}) are supported")
    table = tensors["token_embd.weight"]
    v, g, half, f = int(table.shape[1]), heads // kv, hd // 2, int(own["feed_forward_length"])
    return LlamaConfig(
        v,
        d,
        kv,
        g,
        half,
        f,
        int(own["block_count"]),
        eps=_short(own["attention.layer_norm_rms_epsilon"]),
        base=_short(own.get("rope.freq_base", 10000.0)),
        tied="output.weight" not in tensors,
        positions=int(own["context_length"]),
        bos=_token(fields, "bos"),
        eos=tuple(token for token in [_token(fields, "eos")] if token is not None),
    )


def _refuse_unsupported(own: dict[str, Any], parts: int) -> None:
    for name, what in UNSUPPORTED.items():
        for key, value in own.items():
            if key.startswith(name) and value not in HARMLESS:
                raise ConfigError(f"load_gguf: {what} is not supported (llama.{key} is {value})")
    if parts > 1:
        raise ConfigError(f"load_gguf: a model in {parts} files is not supported; join them with llama-gguf-split")


def _short(value: float) -> float:
    """The shortest decimal of a float32: what a person wrote."""
    return float(str(np.float32(value)))


def _token(fields: dict[str, Any], name: str) -> int | None:
    found = fields.get(f"tokenizer.ggml.{name}_token_id")
    return None if found is None else int(found)


def _names(config: AnyLlama) -> list[str]:
    """The tensors' names in the order of the model's dump."""
    blocks = [f"blk.{i}.{name}.weight" for i in range(config.depth) for name in (*ATTENTION, *FEED_FORWARD)]
    return ["token_embd.weight", *blocks, "output_norm.weight", *([] if config.tied else ["output.weight"])]


def _weights(config: AnyLlama, tensors: dict[str, Any], fields: dict[str, Any]) -> FlatF32:
    """Every weight, in dump order, in float32."""
    names = _names(config)
    extra = sorted(set(tensors) - set(names))
    if extra:
        raise ConfigError(f"load_gguf: the tensor {extra[0]} is not supported ({len(extra)} such)")
    flat, start = np.empty(config.count(), np.float32), 0
    for name in names:
        shape = _shape(config, name)
        numbers = _dequantised(tensors[name])
        if numbers.size != shape[0] * shape[1]:
            raise CheckpointError(f"load_gguf: {name} has {numbers.size} numbers, the model's has {shape}")
        rows = numbers.reshape(shape)
        heads = {"attn_q": config.heads, "attn_k": config.key_heads}.get(name.split(".")[-2])
        flat[start : start + rows.size] = (rows if heads is None else halves_together(rows, heads)).reshape(-1)
        start += rows.size
    return flat


def _shape(config: AnyLlama, name: str) -> tuple[int, int]:
    """The rows and columns of a tensor."""
    d, f = config.width, config.inner
    wide, narrow = config.heads * config.head_dim, config.key_heads * config.head_dim
    tables = {"token_embd": (config.vocabulary, d), "output": (config.vocabulary, d)}
    attention = {"attn_q": (wide, d), "attn_k": (narrow, d), "attn_v": (narrow, d), "attn_output": (d, wide)}
    ffn = {"ffn_gate": (f, d), "ffn_up": (f, d), "ffn_down": (d, f)}
    return {**tables, **attention, **ffn}.get(re.sub(r"^blk\.\d+\.|\.weight$", "", name), (1, d))


def _dequantised(tensor: Any) -> Any:
    """A tensor's numbers in float32."""
    quants = importlib.import_module("gguf.quants")
    try:
        return np.asarray(quants.dequantize(tensor.data, tensor.tensor_type), np.float32)
    except NotImplementedError as error:
        kind = tensor.tensor_type.name
        raise ConfigError(f"load_gguf: {tensor.name} is of type {kind}, which the package gguf cannot read") from error
    except ValueError as error:
        raise CheckpointError(f"load_gguf: {tensor.name} cannot be read: {error}") from error


def halves_together(rows: Any, heads: int) -> Any:
    """The rows of q or k in the order of `RoPE`: each head's pairs (2c, 2c + 1) become (c, c + half)."""
    n, columns = rows.shape
    return rows.reshape(heads, n // heads // 2, 2, columns).swapaxes(1, 2).reshape(n, columns)


def _tokens(fields: dict[str, Any]) -> TokenList | None:
    """The tokens, where the file lists them."""
    prefix = "tokenizer.ggml."
    if f"{prefix}tokens" not in fields:
        return None
    pieces = tuple(fields[f"{prefix}tokens"])
    return TokenList(
        str(fields.get(f"{prefix}model", "")),
        str(fields.get(f"{prefix}pre", "default")),
        pieces,
        tuple(fields.get(f"{prefix}token_type", [1] * len(pieces))),
        tuple(fields.get(f"{prefix}merges", ())),
        fields.get("tokenizer.chat_template"),
    )
