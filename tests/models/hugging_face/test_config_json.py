"""`config.json`: what it means, what is refused by name, what is written."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.models.hugging_face.config_json import PLAIN, config_object, config_of, read_config
from tests.support.llamas import CONFIG, MAKE, READ


def read(folder: Path, **changes: Any) -> Any:
    """The configuration with changes; an ellipsis leaves a key out."""
    found = {key: value for key, value in {**CONFIG, **changes}.items() if value is not ...}
    (folder / "config.json").write_text(json.dumps(found))
    return read_config(folder / "config.json")


def test_a_usual_one_is_read(tmp_path: Path) -> None:
    assert read(tmp_path) == READ


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({"head_dim": ...}, "half", 1),
        ({"head_dim": None}, "half", 1),
        ({"num_key_value_heads": ...}, "key_heads", 6),
        ({"num_key_value_heads": 1}, "groups", 6),
        ({"rms_norm_eps": ...}, "eps", 1e-6),
        ({"rms_norm_eps": 1}, "eps", 1),
        ({"tie_word_embeddings": ...}, "tied", False),
        ({"rope_theta": ...}, "base", 10000.0),
        ({"rope_theta": 10**6}, "base", 10**6),
        ({"rope_theta": ..., "rope_parameters": {"rope_theta": 7.0, "rope_type": "default"}}, "base", 7.0),
        ({"rope_theta": ..., "rope_parameters": {"rope_theta": 7.0}}, "base", 7.0),
        ({"rope_theta": 7.0, "rope_parameters": {"rope_theta": 7}}, "base", 7.0),
        ({"rope_scaling": {"type": "default"}}, "base", 500.0),
        ({"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 1.0}}, "base", 500.0),
        ({"max_position_embeddings": ...}, "positions", None),
        ({"bos_token_id": ...}, "bos", None),
        ({"bos_token_id": None}, "bos", None),
        ({"eos_token_id": ...}, "eos", ()),
        ({"eos_token_id": 10}, "eos", (10,)),
    ],
)
def test_what_may_be_left_out_or_said_otherwise(
    tmp_path: Path, changes: dict[str, Any], name: str, value: object
) -> None:
    config = read(tmp_path, **changes)
    assert getattr(config, name) == value
    assert type(getattr(config, name)) is type(value)


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_act": "swish"},
        {"sliding_window": None, "use_sliding_window": False},
        {"pretraining_tp": 1, "rope_interleaved": False},
        {"quantization_config": None, "attention_dropout": 0.1},
        {"layer_types": ["full_attention"] * 2},
        {"layer_types": None, "something_new": float("nan")},
        {"partial_rotary_factor": 1.0, "architectures": ..., "attention_bias": ..., "mlp_bias": ...},
    ],
)
def test_what_changes_nothing_is_passed_over(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert read(tmp_path, **changes) == READ


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"model_type": "mistral"}, "model_type = 'mistral' is not supported, only 'llama'; load_llama reads Llamas"),
        ({"model_type": ...}, "model_type is missing"),
        ({"architectures": ["LlamaForSequenceClassification"]}, "architectures = ['LlamaForSequence"),
        ({"hidden_act": "gelu"}, "hidden_act = 'gelu' is not supported, only 'silu'"),
        ({"attention_bias": True}, "attention_bias = True is not supported, only False"),
        ({"attention_bias": 0}, "attention_bias = 0 is not supported"),
        ({"mlp_bias": True}, "mlp_bias = True is not supported"),
        ({"sliding_window": 4096}, "sliding_window = 4096 is not supported, only None"),
        ({"use_sliding_window": True}, "use_sliding_window = True is not supported"),
        ({"layer_types": ["full_attention", "sliding_attention"]}, "layer_types with 'sliding_attention'"),
        ({"layer_types": "full_attention"}, "layer_types with 'full_attention'"),
        ({"quantization_config": {"bits": 4}}, "quantization_config = {'bits': 4} is not supported, only None; save"),
        ({"pretraining_tp": 2}, "pretraining_tp = 2 is not supported, only 1; save the model"),
        ({"partial_rotary_factor": 0.5}, "partial_rotary_factor = 0.5 is not supported"),
        ({"rope_interleaved": True}, "rope_interleaved = True is not supported"),
        ({"auto_map": {"AutoModel": "code.Model"}}, "auto_map = {'AutoModel': 'code.Model'} is not supported"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling with rope_type 'linear' is not supported"),
        ({"rope_scaling": {"rope_type": "llama3"}}, "rope_scaling with rope_type 'llama3'"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "rope_parameters with rope_type 'yarn'"),
        ({"rope_parameters": {"rope_type": "default", "factor": 2.0}}, "rope_parameters with {'rope_type': 'default'"),
        ({"rope_parameters": {"full_attention": {"rope_theta": 1.0}}}, "rope_parameters with {'full_attention'"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "rope_parameters with {'partial_rotary_factor': 0.5}"),
        ({"rope_parameters": [1]}, "rope_parameters must be an object, got [1]"),
        ({"rope_parameters": {"rope_theta": 7.0}}, "rope_theta is 500.0 in one place and 7.0 in another"),
        ({"rope_theta": True, "rope_parameters": {"rope_theta": 1}}, "rope_theta is True in one place"),
        ({"rope_theta": "10000"}, "LlamaConfig: base must be a finite number of at least 1, got '10000'"),
        ({"rope_theta": float("nan")}, "base must be a finite number of at least 1, got nan"),
        ({"rms_norm_eps": float("nan")}, "LlamaConfig: eps must be a finite number from 0 on, got nan"),
        ({"rms_norm_eps": True}, "eps must be a finite number from 0 on, got True"),
        ({"tie_word_embeddings": 1}, "tied must be True or False, got 1"),
        ({"num_attention_heads": 5}, "num_attention_heads = 5 must be a multiple of num_key_value_heads = 2"),
        ({"num_attention_heads": 10, "head_dim": ...}, "hidden_size = 12 must be a multiple of num_attention_heads"),
        ({"head_dim": 3}, "head_dim = 3 must be even"),
        ({"head_dim": 0}, "head_dim must be an int of at least 1, got 0"),
        ({"vocab_size": 11.0}, "vocab_size must be an int of at least 1, got 11.0"),
        ({"vocab_size": True}, "vocab_size must be an int of at least 1, got True"),
        ({"vocab_size": ...}, "vocab_size is missing"),
        ({"hidden_size": "12"}, "hidden_size must be an int of at least 1, got '12'"),
        ({"num_hidden_layers": None}, "num_hidden_layers is missing"),
        ({"num_hidden_layers": [2]}, "num_hidden_layers must be an int of at least 1, got [2]"),
        ({"intermediate_size": -1}, "intermediate_size must be an int of at least 1, got -1"),
        ({"max_position_embeddings": 0}, "positions must be an int from 1 on, got 0"),
        ({"bos_token_id": 11}, "bos must be a token from 0 to 10, got 11"),
        ({"eos_token_id": [2, "3"]}, "eos must be a token from 0 to 10, got '3'"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, **changes)
    assert str(raised.value).startswith(f"{tmp_path / 'config.json'}: ")
    assert text in str(raised.value)


def test_what_is_no_object_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(CheckpointError, match="must hold an object, got a list"):
        read_config(tmp_path / "config.json")


@pytest.mark.parametrize("config", [READ, MAKE(3, 4, 1, 1, 3, 2, 1, eps=0, base=1, tied=False)])
def test_what_is_written_is_read(tmp_path: Path, config: Any) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config_object(config)))
    assert read_config(tmp_path / "config.json") == config


def test_what_is_written_is_what_transformers_reads() -> None:
    """The keys of version 4 and of version 5: each takes RoPE's base from another place."""
    content = config_object(READ)
    assert content["rope_theta"] == content["rope_parameters"]["rope_theta"] == 500.0
    usual = {key: value for key, value in CONFIG.items() if key not in {"initializer_range", "rope_scaling"}}
    assert {key: content[key] for key in usual if key != "torch_dtype"} | {"torch_dtype": "float32"} == usual


def test_what_transformers_would_not_load_is_not_written() -> None:
    with pytest.raises(ConfigError, match="width = 12 must be a multiple of the 5 heads"):
        config_object(MAKE(11, 12, 1, 5, 2, 5, 2))


ODD: list[Any] = [
    *(None, True, False, -1, 0, 1, 3, 2**63, 10**30, -0.5, 2.0, 1e308, float("nan"), float("inf")),
    *("", "x", "default", [], [[1]], [None], [2, 2], ["full_attention", 3], {}, {"a": {}}, {"rope_type": 3}),
    *({"rope_type": ["x"]}, {"type": None}, {"rope_theta": None}, {"rope_theta": [1]}, {"rope_theta": 10**400}),
]


@pytest.mark.parametrize("name", [*CONFIG, *PLAIN, "rope_parameters", "layer_types"])
def test_any_value_anywhere_is_taken_or_refused(name: str) -> None:
    """By our own error, whatever kind of value a file has in whatever place."""
    for value in ODD:
        with contextlib.suppress(ConfigError):
            assert config_of({**CONFIG, name: value}).count() > 0
