"""What the fields of a GGUF file say of a Llama and of its tokens, and what in them is refused.

A field that changes what the model computes, and that the model here does not have, is an error that names it. Fields
that describe a model (its name, its authors, its licence) are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.models.config import LlamaConfig
from bendtorch.models.hugging_face.config_json import ReadLlama
from bendtorch.shapes.arguments import shown

ARCHITECTURE: Final = "llama"
OWN: Final = f"{ARCHITECTURE}."
TOKENS: Final = "tokenizer.ggml."
BASE: Final = 10000.0  # of RoPE, where a file leaves it out

UNSUPPORTED: Final = {
    "rope.scal": "scaling of RoPE",
    "attention.sliding_window": "a sliding window",
    "attention.clamp_kqv": "clamped queries, keys and values",
    "attention.scale": "a scale of its own for attention",
    "attn_logit_softcapping": "soft-capped scores",
    "expert": "a mixture of experts",
    "logit_scale": "scaled logits",
    "embedding_scale": "scaled embeddings",
    "residual_scale": "scaled residuals",
}
"""What fields that begin so would change."""

HARMLESS: Final = {"none", "", 0, None}
"""Values of such a field that change nothing."""


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


def config_of(fields: Mapping[str, Any], vocabulary: int, is_tied: bool) -> ReadLlama:
    """The configuration; the tensors tell the size of the vocabulary, and whether the output has a weight of its own.

    Raises `ConfigError`, naming the field, for a model that is not supported, and `CheckpointError` when a size is
    missing or none.
    """
    if fields.get("general.architecture") != ARCHITECTURE:
        raise ConfigError(f"only the architecture llama is supported, got {shown(fields.get('general.architecture'))}")
    own = {name.removeprefix(OWN): value for name, value in fields.items() if name.startswith(OWN)}
    _refuse_unsupported(own, fields.get("split.count", 1))
    d, heads = _count(own, "embedding_length"), _count(own, "attention.head_count")
    kv = _count(own, "attention.head_count_kv", heads)
    hd = _count(own, "attention.key_length", d // heads)
    if heads % kv:
        raise ConfigError(f"{heads} heads of queries are no multiple of {kv} heads of keys")
    for name in ("attention.value_length", "rope.dimension_count"):
        if (found := _count(own, name, hd)) != hd or hd % 2:
            raise ConfigError(
                f"{OWN}{name} is {found}; supported are heads of one even width, here {hd}, turned as a whole"
            )
    bos, eos = (_token(fields, name) for name in ("bos", "eos"))
    made: Any = LlamaConfig  # a size that is read is `int` until somebody binds it to a name
    config: ReadLlama = made(
        vocabulary=vocabulary,
        width=d,
        key_heads=kv,
        groups=heads // kv,
        half=hd // 2,
        inner=_count(own, "feed_forward_length"),
        depth=_count(own, "block_count"),
        eps=_number(own, "attention.layer_norm_rms_epsilon"),
        base=_number(own, "rope.freq_base", BASE),
        tied=is_tied,
        positions=_count(own, "context_length"),
        bos=bos,
        eos=() if eos is None else (eos,),
    )
    return config


def tokens_of(fields: Mapping[str, Any]) -> TokenList | None:
    """The tokens, where the file lists them."""
    if f"{TOKENS}tokens" not in fields:
        return None
    pieces = tuple(fields[f"{TOKENS}tokens"])
    return TokenList(
        str(fields.get(f"{TOKENS}model", "")),
        str(fields.get(f"{TOKENS}pre", "default")),
        pieces,
        tuple(fields.get(f"{TOKENS}token_type", [1] * len(pieces))),
        tuple(fields.get(f"{TOKENS}merges", ())),
        fields.get("tokenizer.chat_template"),
    )


def _refuse_unsupported(own: Mapping[str, Any], parts: int) -> None:
    for name, what in UNSUPPORTED.items():
        for key, value in own.items():
            if key.startswith(name) and value not in HARMLESS:
                raise ConfigError(f"{what} is not supported ({OWN}{key} is {shown(value)})")
    if own.get("attention.causal", True) is not True:
        raise ConfigError(f"attention to later tokens is not supported ({OWN}attention.causal is False)")
    if parts > 1:
        raise ConfigError(f"a model in {parts} files is not supported; join them with llama-gguf-split")


def _count(own: Mapping[str, Any], name: str, default: int | None = None) -> int:
    """A size."""
    found = own.get(name, default)
    if type(found) is not int or found < 1:
        raise CheckpointError(f"{OWN}{name} must be a number from 1 on, got {shown(found)}")
    return found


def _number(own: Mapping[str, Any], name: str, default: float | None = None) -> float:
    """A constant: the shortest decimal of the float32 that the file holds, which is what a person wrote."""
    found = own.get(name, default)
    if type(found) is not float:
        raise CheckpointError(f"{OWN}{name} must be a number, got {shown(found)}")
    return float(str(np.float32(found)))


def _token(fields: Mapping[str, Any], name: str) -> int | None:
    found: int | None = fields.get(f"{TOKENS}{name}_token_id")
    return found
