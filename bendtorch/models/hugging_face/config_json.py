"""`config.json`: what it says of a Llama, and what in it is refused because the model here would compute otherwise.

What a file leaves out means what it does in `transformers`, but for the sizes, which it must give. Keys that do not
change what a trained model computes (names, versions, caches, how it was initialised) are passed over.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.models.config import AnyLlama, LlamaConfig
from bendtorch.models.hugging_face.json_file import read_object
from bendtorch.shapes.arguments import shown

ReadLlama: TypeAlias = LlamaConfig[int, int, int, int, int, int]
"""A configuration whose sizes are known only at run time."""

ARCHITECTURE: Final = "LlamaForCausalLM"

PLAIN: Final[dict[str, tuple[Any, ...]]] = {
    "model_type": ("llama",),
    "architectures": ([ARCHITECTURE], None),
    "hidden_act": ("silu", "swish"),
    "attention_bias": (False, None),
    "mlp_bias": (False, None),
    "sliding_window": (None,),
    "use_sliding_window": (False, None),
    "quantization_config": (None,),
    "pretraining_tp": (1, None),
    "partial_rotary_factor": (1.0, None),
    "rope_interleaved": (False, None),
    "is_encoder_decoder": (False, None),
    "add_cross_attention": (False, None),
    "auto_map": (None, {}),
}
"""Settings of which one value is supported (or several that mean the same); leaving one out means that value."""

ADVICE: Final = {
    "model_type": "load_llama reads Llamas; for another architecture write its layers, and name its tensors",
    "architectures": f"only {ARCHITECTURE}, a Llama that gives logits, can be read",
    "quantization_config": "save the model from transformers in bfloat16 or float32 first",
    "pretraining_tp": "save the model from transformers with pretraining_tp = 1, which is the same model",
    "auto_map": "the model has code of its own, which is never run",
}


def read_config(path: Path) -> ReadLlama:
    """The configuration in a `config.json`.

    Raises `ConfigError`, naming the setting, for a model that is not supported or sizes that are not possible.
    """
    try:
        return config_of(read_object(path))
    except ConfigError as problem:
        raise ConfigError(f"{path}: {problem}") from None


def config_of(found: dict[str, Any]) -> ReadLlama:
    """What the settings of a `config.json` say."""
    _refuse_unsupported(found)
    heads, width = _count(found, "num_attention_heads"), _count(found, "hidden_size")
    key_heads = _count(found, "num_key_value_heads", heads)
    if heads % key_heads:
        raise ConfigError(f"num_attention_heads = {heads} must be a multiple of num_key_value_heads = {key_heads}")
    made: Any = LlamaConfig  # a size that is read is `int` until somebody binds it to a name
    config: ReadLlama = made(
        vocabulary=_count(found, "vocab_size"),
        width=width,
        key_heads=key_heads,
        groups=heads // key_heads,
        half=_half(found, width, heads),
        inner=_count(found, "intermediate_size"),
        depth=_count(found, "num_hidden_layers"),
        eps=_given(found, "rms_norm_eps", 1e-6),
        base=_base(found),
        tied=_given(found, "tie_word_embeddings", False),
        positions=found.get("max_position_embeddings"),
        bos=found.get("bos_token_id"),
        eos=_tokens(found.get("eos_token_id")),
    )
    return config


def config_object(config: AnyLlama) -> dict[str, Any]:
    """What a `config.json` says of a Llama, for `transformers` 4 and 5: each has its own place for RoPE's base."""
    if config.width % config.heads:
        raise ConfigError(
            f"save_llama: width = {config.width} must be a multiple of the {config.heads} heads (groups·key_heads) "
            "for transformers to load it, whatever half is; save_params keeps any model"
        )
    eos: object = list(config.eos) if len(config.eos) > 1 else next(iter(config.eos), None)
    base = float(config.base)
    known = {} if config.positions is None else {"max_position_embeddings": config.positions}
    return known | {
        "architectures": [ARCHITECTURE],
        "attention_bias": False,
        "bos_token_id": config.bos,
        "dtype": "float32",
        "eos_token_id": eos,
        "head_dim": config.head_dim,
        "hidden_act": "silu",
        "hidden_size": config.width,
        "intermediate_size": config.inner,
        "mlp_bias": False,
        "model_type": "llama",
        "num_attention_heads": config.heads,
        "num_hidden_layers": config.depth,
        "num_key_value_heads": config.key_heads,
        "rms_norm_eps": float(config.eps),
        "rope_parameters": {"rope_theta": base, "rope_type": "default"},
        "rope_theta": base,
        "tie_word_embeddings": config.tied,
        "vocab_size": config.vocabulary,
    }


def _refuse_unsupported(found: dict[str, Any]) -> None:
    """Refuse what the model here does not have, by name."""
    if "model_type" not in found:
        raise ConfigError(f"model_type is missing; {ADVICE['model_type']}")
    for name, plain in PLAIN.items():
        value = found.get(name, plain[0])
        if not any(_is_same(value, one) for one in plain):
            advice = f"; {ADVICE[name]}" if name in ADVICE else ""
            raise ConfigError(f"{name} = {shown(value)} is not supported, only {shown(plain[0])}{advice}")
    kinds = found.get("layer_types") or []
    other = [kind for kind in kinds if kind != "full_attention"] if isinstance(kinds, list) else [kinds]
    if other:
        raise ConfigError(f'layer_types with {shown(other[0])} is not supported, only "full_attention"')


def _is_same(value: object, plain: object) -> bool:
    """Equality that tells True from 1, but not 1 from 1.0."""
    return value == plain and isinstance(value, bool) == isinstance(plain, bool)


def _base(found: dict[str, Any]) -> Any:
    """RoPE's base, from either place; every scaled RoPE is refused."""
    bases = [found["rope_theta"]] if found.get("rope_theta") is not None else []
    for name in ("rope_scaling", "rope_parameters"):
        settings = found.get(name) or {}
        if not isinstance(settings, dict):
            raise ConfigError(f"{name} must be an object, got {shown(settings)}")
        kind = settings.get("rope_type", settings.get("type", "default"))
        others = settings.keys() - {"rope_type", "type", "rope_theta", "partial_rotary_factor"}
        if kind != "default" or others or not _is_same(settings.get("partial_rotary_factor", 1.0), 1.0):
            what = f"rope_type {kind!r}" if kind != "default" else shown(settings)
            raise ConfigError(f"{name} with {what} is not supported: only RoPE that is not scaled")
        bases += [settings["rope_theta"]] if "rope_theta" in settings else []
    if any(not _is_same(base, bases[0]) for base in bases[1:]):
        raise ConfigError(f"rope_theta is {bases[0]!r} in one place and {bases[-1]!r} in another")
    return bases[0] if bases else 10000.0


def _half(found: dict[str, Any], width: int, heads: int) -> int:
    """Half the numbers of a head."""
    if found.get("head_dim") is None and width % heads:
        raise ConfigError(
            f"hidden_size = {width} must be a multiple of num_attention_heads = {heads} without a head_dim"
        )
    head_dim = _count(found, "head_dim", width // heads)
    if head_dim % 2:
        raise ConfigError(f"head_dim = {head_dim} must be even: RoPE turns pairs of numbers")
    return head_dim // 2


def _count(found: dict[str, Any], name: str, otherwise: int | None = None) -> int:
    """A size."""
    value = _given(found, name, otherwise)
    if value is None:
        raise ConfigError(f"{name} is missing")
    if type(value) is not int or value < 1:
        raise ConfigError(f"{name} must be an int of at least 1, got {shown(value)}")
    return value


def _given(found: dict[str, Any], name: str, otherwise: Any) -> Any:
    """A setting, or what it is when it is left out or null."""
    value = found.get(name)
    return otherwise if value is None else value


def _tokens(value: Any) -> Any:
    """One token, several, or none, as a tuple; anything else as it is."""
    if isinstance(value, list):
        return tuple(value)
    return () if value is None else (value,)
