"""Folders of Llamas as other programs write them: made by hand, not by our own writer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from bendtorch.models import LlamaConfig

CONFIG: Final[dict[str, Any]] = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "bos_token_id": 1,
    "eos_token_id": [2, 3],
    "head_dim": 4,
    "hidden_act": "silu",
    "hidden_size": 12,
    "initializer_range": 0.02,
    "intermediate_size": 5,
    "max_position_embeddings": 64,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 6,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-6,
    "rope_scaling": None,
    "rope_theta": 500.0,
    "tie_word_embeddings": True,
    "torch_dtype": "float32",
    "vocab_size": 11,
}
"""A `config.json` with everything that one usually has."""

MAKE: Final[Any] = LlamaConfig
READ: Final = MAKE(11, 12, 2, 3, 2, 5, 2, eps=1e-6, base=500.0, tied=True, positions=64, bos=1, eos=(2, 3))
"""The same as a record."""

BLOCK: Final = {
    "input_layernorm": (12,),
    "self_attn.q_proj": (24, 12),
    "self_attn.k_proj": (8, 12),
    "self_attn.v_proj": (8, 12),
    "self_attn.o_proj": (12, 24),
    "post_attention_layernorm": (12,),
    "mlp.gate_proj": (5, 12),
    "mlp.up_proj": (5, 12),
    "mlp.down_proj": (12, 5),
}
SHAPES: Final[dict[str, tuple[int, ...]]] = {
    "model.embed_tokens.weight": (11, 12),
    **{f"model.layers.{i}.{name}.weight": shape for i in range(2) for name, shape in BLOCK.items()},
    "model.norm.weight": (12,),
}
"""Its tensors, as `transformers` names and shapes them."""


def weights(seed: int = 0, dtype: str = "F32") -> dict[str, tuple[str, Any]]:
    """Numbers for them: of each, its type in the file and its bits. The float32 in a bfloat16 file are halves."""
    rng = np.random.default_rng(seed)
    made = {}
    for name, shape in SHAPES.items():
        numbers = rng.standard_normal(shape, np.float32)
        if dtype == "F16":
            numbers = numbers.astype(np.float16)
        made[name] = (dtype, (numbers.view(np.uint32) >> 16).astype(np.uint16) if dtype == "BF16" else numbers)
    return made


def as_float32(dtype: str, bits: Any) -> Any:
    """What a tensor of `weights` means."""
    if dtype == "BF16":
        return np.ascontiguousarray(np.stack([np.zeros_like(bits), bits], axis=-1)).view(np.float32).reshape(bits.shape)
    return bits.astype(np.float32)


def dump(tensors: dict[str, tuple[str, Any]]) -> Any:
    """The numbers of the model, in the order of `SHAPES`."""
    return np.concatenate([as_float32(*tensors[name]).reshape(-1) for name in SHAPES])


def write_tensors(path: Path, tensors: dict[str, tuple[str, Any]]) -> None:
    """A file as other programs write it: no checksum, names in the order of their letters."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name in sorted(tensors):
        dtype, array = tensors[name]
        places = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": places}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_folder(folder: Path, tensors: dict[str, tuple[str, Any]] | None = None, **changes: Any) -> Path:
    """A folder of `CONFIG`, with changes; None leaves a key out."""
    config = {key: value for key, value in {**CONFIG, **changes}.items() if value is not ...}
    (folder / "config.json").write_text(json.dumps(config))
    write_tensors(folder / "model.safetensors", weights() if tensors is None else tensors)
    return folder


def write_shards(folder: Path, tensors: dict[str, tuple[str, Any]], count: int) -> dict[str, Any]:
    """The same in shards, their tensors dealt like cards; gives the index."""
    files = [f"model-{k + 1:05}-of-{count:05}.safetensors" for k in range(count)]
    names = sorted(tensors)
    for k, file in enumerate(files):
        write_tensors(folder / file, {name: tensors[name] for name in names[k::count]})
    places = {name: files[k % count] for k, name in enumerate(names)}
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    write_index(folder, index)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    return index


def write_index(folder: Path, index: object) -> None:
    """The index of a folder of shards."""
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
