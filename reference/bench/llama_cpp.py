"""llama.cpp with SmolLM2's weights in 32 bits or 16, where `llama-cpp-python` is installed (no wheel: pip builds it).

The weights are those that we read, written to a GGUF file, so in float32 both sides compute with the same numbers.
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from bendtorch.generate import weights_of
from bendtorch.models.gguf.weights import tensor_shapes
from reference.smollm2 import loaded

PACKAGE: Final = "llama_cpp"
CONTEXT: Final = 512
TYPES: Final[dict[str, Any]] = {"F32": np.float32, "F16": np.float16}  # of matrices; vectors are always F32


def is_installed() -> bool:
    """Whether the package is there."""
    return importlib.util.find_spec(PACKAGE) is not None


class LlamaCpp:
    """A model and a context of its own, which has read a prompt: with matrices of type `kind`, its cache in 16 bits."""

    def __init__(self, ids: Any, kind: str = "F32") -> None:
        self.library: Any = importlib.import_module(f"{PACKAGE}.{PACKAGE}")
        self.library.llama_backend_init()
        with tempfile.TemporaryDirectory(prefix="bendtorch-") as folder:
            path = Path(folder) / "f32.gguf"
            write_model(path, kind)
            settings = self.library.llama_model_default_params()
            settings.use_mmap = False
            self.model = self.library.llama_model_load_from_file(str(path).encode(), settings)
        options = self.library.llama_context_default_params()
        options.n_ctx = options.n_batch = options.n_ubatch = CONTEXT
        self.context = self.library.llama_init_from_model(self.model, options)
        self.ids = [int(token) for token in ids]
        self.read()

    def _decode(self, tokens: list[int]) -> Any:
        """The logits after some tokens, on as many threads as PyTorch has."""
        self.library.llama_set_n_threads(self.context, torch.get_num_threads(), torch.get_num_threads())
        given = (self.library.llama_token * len(tokens))(*tokens)
        if self.library.llama_decode(self.context, self.library.llama_batch_get_one(given, len(tokens))):
            raise RuntimeError("llama_decode failed")
        return np.ctypeslib.as_array(
            self.library.llama_get_logits_ith(self.context, -1), shape=(loaded().config.vocabulary,)
        )

    def _keep(self, position: int) -> None:
        self.library.llama_memory_seq_rm(self.library.llama_get_memory(self.context), -1, position, -1)

    def __del__(self) -> None:
        """Give the memory back."""
        self.library.llama_free(self.context)
        self.library.llama_model_free(self.model)

    def read(self) -> Any:
        """The prompt, anew."""
        self._keep(0)
        return self._decode(self.ids)

    def write(self, first: list[int], count: int) -> list[int]:
        """The tokens that follow the prompt and a first one, the likeliest each time."""
        self._keep(len(self.ids))
        written = list(first)
        for _ in range(count):
            written.append(int(self._decode(written[-1:]).argmax()))
        return written[1:]


def write_model(path: Path, kind: str) -> None:
    """The model without tokens; q and k with the rows that llama.cpp wants."""
    package: Any = importlib.import_module("gguf")
    config, p = loaded().config, loaded().p
    writer = package.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(config.width)
    writer.add_block_count(config.depth)
    writer.add_feed_forward_length(config.inner)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.key_heads)
    writer.add_rope_freq_base(config.base)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_layer_norm_rms_eps(config.eps)
    writer.add_vocab_size(config.vocabulary)
    writer.add_tokenizer_model("no_vocab")
    flat, start, heads = weights_of(config.model(1, 1), p), 0, {"attn_q": config.heads, "attn_k": config.key_heads}
    for name, shape in tensor_shapes(config):
        rows = flat[start : start + int(np.prod(shape))].reshape(shape)
        start += rows.size
        of = heads.get(name.split(".")[-2])
        turned = rows if of is None else _pairs_together(rows, of)
        writer.add_tensor(name, turned.astype(TYPES[kind] if len(shape) == 2 else np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _pairs_together(rows: Any, heads: int) -> Any:
    """The inverse of what reading undoes."""
    n, columns = rows.shape
    return np.ascontiguousarray(rows.reshape(heads, 2, n // heads // 2, columns).swapaxes(1, 2).reshape(n, columns))
