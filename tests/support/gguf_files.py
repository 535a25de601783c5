"""GGUF files of small Llamas, as llama.cpp's converter writes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np

from bendtorch.models.gguf import TokenList

MAKE_WRITER: Final[Any] = gguf.GGUFWriter
KINDS: Final[Any] = gguf.GGMLQuantizationType
QUANTIZE: Final[Any] = gguf.quants.quantize
PARTS: Final = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


def fields_of(config: Any) -> dict[str, Any]:
    """What a file says of a configuration: int and float32 fields, under their names."""
    return {
        "llama.context_length": config.positions or 2048,
        "llama.embedding_length": config.width,
        "llama.block_count": config.depth,
        "llama.feed_forward_length": config.inner,
        "llama.attention.head_count": config.heads,
        "llama.attention.head_count_kv": config.key_heads,
        "llama.attention.key_length": config.head_dim,
        "llama.attention.value_length": config.head_dim,
        "llama.rope.dimension_count": config.head_dim,
        "llama.rope.freq_base": config.base,
        "llama.attention.layer_norm_rms_epsilon": config.eps,
    }


def tensors_of(config: Any, flat: Any) -> dict[str, Any]:
    """The tensors of a dump, with the rows of q and k in llama.cpp's order."""
    names = ["token_embd", *(f"blk.{i}.{part}" for i in range(config.depth) for part in PARTS), "output_norm", "output"]
    tensors, start = {}, 0
    for name, leaf in zip(names, config.model(1, 1).leaves, strict=False):
        rows = flat[start : start + leaf.cells].reshape(leaf.shape)
        start += leaf.cells
        if name.endswith(("attn_q", "attn_k")):
            rows = pairs_together(rows, config.heads if name.endswith("q") else config.key_heads)
        tensors[f"{name}.weight"] = rows[0] if name.endswith("norm") else rows
    return tensors


def pairs_together(rows: Any, heads: int) -> Any:
    """Row c of a head's first half and row c of its second become neighbours."""
    half = len(rows) // heads // 2
    order = [head * 2 * half + c + part * half for head in range(heads) for c in range(half) for part in (0, 1)]
    return rows[order]


def write_gguf(
    path: Path,
    fields: Mapping[str, Any],
    tensors: Mapping[str, Any],
    *,
    kinds: Mapping[str, str] | None = None,
    tokens: TokenList | None = None,
    architecture: str = "llama",
) -> Path:
    """A file. `kinds` names the types of tensors that are not stored as they are (those of other names are)."""
    writer = MAKE_WRITER(str(path), architecture)
    for name, value in fields.items():
        add = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string, bool: writer.add_bool}
        add[type(value)](name, value)
    for name, array in tensors.items():
        kind = (kinds or {}).get(name)
        if kind is None:
            writer.add_tensor(name, np.ascontiguousarray(array))
        else:
            writer.add_tensor(name, QUANTIZE(array, KINDS[kind]), raw_dtype=KINDS[kind])
    if tokens is not None:
        _add_tokens(writer, tokens)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokens(writer: Any, tokens: TokenList) -> None:
    writer.add_tokenizer_model(tokens.model)
    writer.add_tokenizer_pre(tokens.pre)
    writer.add_token_list(list(tokens.pieces))
    writer.add_token_types(list(tokens.kinds))
    writer.add_token_merges(list(tokens.merges))
    if tokens.chat_template is not None:
        writer.add_chat_template(tokens.chat_template)
