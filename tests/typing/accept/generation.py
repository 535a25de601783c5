"""Reading and writing text with a model whose sizes are known, and with one whose sizes were read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from typing_extensions import assert_type

from bendtorch import CrossEntropy, Key, ids
from bendtorch.generate import ChatML, Decoder, Sampler, Storage, Tokenizer, generate, text_of, weights_of
from bendtorch.models import AnyLlama, LlamaConfig, init_normal, load_llama
from bendtorch.models.gguf import load_gguf
from bendtorch.shapes.arrays import FlatF32

small = LlamaConfig(vocabulary=65, width=128, key_heads=2, groups=2, half=16, inner=384, depth=4)
model = small.model(1, 1, dropout=0.1)
weights = weights_of(model, init_normal(model, Key(0)))
assert_type(weights, FlatF32)
decoder = Decoder(small, weights, storage="bfloat16", context=100)
assert_type(decoder.read([1, 2, 3]), FlatF32)
decoder.read(np.zeros(3, np.int64))
decoder.read(ids(3, [1, 2, 3]))
assert_type(Sampler(temperature=0.5, top_k=3).pick(decoder.read([1]), Key(0)), int)
assert_type(generate(decoder, [1], 5, temperature=0, stop=small.eos), Iterator[int])

# ---- read
config, p = load_llama("smollm2")
Decoder(config, weights_of(config.model(1, 1), p))
found = load_gguf("smollm2.gguf")
read = found.config
logits = read.model(2, 7).fwd(found.p, ids(14, [])).y
CrossEntropy(14, read.vocabulary)(logits, ids(14, []))
tokenizer = Tokenizer.of(found.tokens)
chat = ChatML(tokenizer)
text: Iterator[str] = text_of(generate(decoder, chat.message("user", "hello"), 5, key=Key(0)), tokenizer.bytes_of)


def of_any(any_sizes: AnyLlama, q: Any, storage: Storage) -> Decoder:
    return Decoder(any_sizes, weights_of(any_sizes.model(1, 1), q), storage=storage)
