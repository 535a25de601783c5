"""What fields say: sizes, constants, tokens; and every field that would change the model is refused by its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.models.gguf.fields import config_of, tokens_of
from tests.support.decoding import MAKE, TIED, configs
from tests.support.gguf_files import fields_of

FIELDS: dict[str, Any] = {"general.architecture": "llama", "general.name": "any", **fields_of(TIED)}
SIZES = [
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "feed_forward_length",
    "block_count",
    "context_length",
]


@given(config=configs)
def test_sizes_and_constants(config: Any) -> None:
    found = config_of({"general.architecture": "llama", **fields_of(config)}, config.vocabulary, config.tied)
    assert found == MAKE(*_sizes(config), eps=config.eps, base=config.base, tied=config.tied, positions=2048)


def _sizes(config: Any) -> list[int]:
    names = ("vocabulary", "width", "key_heads", "groups", "half", "inner", "depth")
    return [getattr(config, name) for name in names]


def test_what_is_left_out() -> None:
    """As many heads of keys as of queries, which share the width; the usual base; no tokens."""
    fields = {k: v for k, v in FIELDS.items() if k.split(".")[-1] not in {"head_count_kv", "key_length", "freq_base"}}
    fields |= {"llama.embedding_length": 48, "llama.attention.head_count": 4}
    for name in ("llama.attention.value_length", "llama.rope.dimension_count"):
        del fields[name]
    found = config_of(fields, 29, True)
    assert (found.key_heads, found.groups, found.head_dim, found.base) == (4, 1, 12, 10000.0)
    assert (found.bos, found.eos) == (None, ())


def test_tokens_that_begin_and_end_a_text() -> None:
    found = config_of({**FIELDS, "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2}, 29, True)
    assert (found.bos, found.eos) == (1, (2,))


@given(eps=st.sampled_from([1e-5, 1e-6, 1e-12, 0.1]))
def test_constants_are_what_a_person_wrote(eps: float) -> None:
    """A file holds the nearest float32, and the model computes with its shortest decimal, as its makers did."""
    found = config_of({**FIELDS, "llama.attention.layer_norm_rms_epsilon": float(np.float32(eps))}, 29, True)
    assert found.eps == eps


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("rope.scaling.type", "yarn", "scaling of RoPE"),
        ("rope.scaling.factor", 4.0, "scaling of RoPE"),
        ("rope.scale_linear", 2.0, "scaling of RoPE"),
        ("attention.sliding_window", 4096, "a sliding window"),
        ("attention.clamp_kqv", 8.0, "clamped queries"),
        ("attention.scale", 0.5, "a scale of its own"),
        ("attn_logit_softcapping", 50.0, "soft-capped scores"),
        ("expert_count", 8, "a mixture of experts"),
        ("logit_scale", 0.5, "scaled logits"),
        ("embedding_scale", 12.0, "scaled embeddings"),
        ("residual_scale", 0.2, "scaled residuals"),
        ("attention.causal", False, "attention to later tokens"),
    ],
)
def test_what_would_compute_otherwise(name: str, value: object, what: str) -> None:
    with pytest.raises(ConfigError, match=rf"{what}.* is not supported \(llama.{name} is "):
        config_of({**FIELDS, f"llama.{name}": value}, 29, True)


def test_what_changes_nothing() -> None:
    harmless = {"rope.scaling.type": "none", "expert_count": 0, "attention.causal": True, "vocab_size": 29}
    assert config_of({**FIELDS, **{f"llama.{k}": v for k, v in harmless.items()}}, 29, True) == config_of(
        FIELDS, 29, True
    )


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("value", [0, "4", [2, 2], 2.0, True])
def test_sizes_that_are_none(name: str, value: object) -> None:
    with pytest.raises(CheckpointError, match=f"llama.{name} must be a number from 1 on, got "):
        config_of({**FIELDS, f"llama.{name}": value}, 29, True)


@pytest.mark.parametrize("name", ["embedding_length", "attention.head_count", "block_count", "context_length"])
def test_sizes_that_are_missing(name: str) -> None:
    fields = {key: value for key, value in FIELDS.items() if key != f"llama.{name}"}
    with pytest.raises(CheckpointError, match=f"llama.{name} must be a number from 1 on, got None"):
        config_of(fields, 29, True)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"general.architecture": "gemma"}, ConfigError, "only the architecture llama is supported, got 'gemma'"),
        ({"general.architecture": None}, ConfigError, "only the architecture llama is supported, got None"),
        ({"split.count": 2}, ConfigError, "a model in 2 files is not supported"),
        ({"llama.attention.head_count": 3}, ConfigError, "3 heads of queries are no multiple of 2 heads of keys"),
        ({"llama.attention.value_length": 8}, ConfigError, "llama.attention.value_length is 8; supported are heads"),
        ({"llama.rope.dimension_count": 2}, ConfigError, "llama.rope.dimension_count is 2; supported are heads"),
        ({"llama.attention.layer_norm_rms_epsilon": None}, CheckpointError, "rms_epsilon must be a number, got None"),
        ({"llama.rope.freq_base": "1e4"}, CheckpointError, "freq_base must be a number, got '1e4'"),
        ({"llama.rope.freq_base": 0.5}, ConfigError, "base must be a finite number of at least 1"),
        ({"tokenizer.ggml.bos_token_id": 29}, ConfigError, "bos must be a token from 0 to 28"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        config_of({**FIELDS, **changes}, 29, True)


def test_heads_of_an_odd_width() -> None:
    odd = {f"llama.{name}": 5 for name in ("attention.key_length", "attention.value_length", "rope.dimension_count")}
    with pytest.raises(ConfigError, match="supported are heads of one even width"):
        config_of({**FIELDS, **odd}, 29, True)


def test_tokens_where_they_are_listed() -> None:
    assert tokens_of(FIELDS) is None
    found = tokens_of({"tokenizer.ggml.tokens": ["a", "b"]})
    assert found is not None
    assert (found.pre, found.kinds, found.merges, found.chat_template) == ("default", (1, 1), (), None)
