"""Tensors of GGUF files: the order of their rows, their types, and what is missing or too much."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import gguf
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch import RoPE
from bendtorch.errors import CheckpointError, ConfigError
from bendtorch.models.gguf.weights import halves_together, read_weights, tensor_shapes
from tests.support.arrays import numbers, same_bits
from tests.support.decoding import MAKE, TIED, UNTIED, configs
from tests.support.gguf_files import KINDS, pairs_together, tensors_of
from tests.support.sizes import seeds

ROPE: Any = RoPE
HEADS = {"seed": seeds, "heads": st.integers(1, 4), "half": st.integers(1, 4), "columns": st.integers(1, 5)}


def tensor(name: str, data: Any, kind: str, shape: Any) -> Any:
    """What the package `gguf` gives of a tensor: the shape from the inside out."""
    return SimpleNamespace(name=name, data=data, tensor_type=KINDS[kind], shape=np.array(shape[::-1], np.uint64))


def as_read(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: tensor(name, array, "F32", array.shape) for name, array in tensors.items()}


@given(**HEADS)
def test_rows_come_back_into_their_order(seed: int, heads: int, half: int, columns: int) -> None:
    rows = numbers(seed, heads * 2 * half, columns)
    assert same_bits(halves_together(pairs_together(rows, heads), heads), rows)


@given(**HEADS, t=st.integers(1, 4))
def test_they_turn_as_in_llama_cpp(seed: int, heads: int, half: int, columns: int, t: int) -> None:
    """Neighbours turned together with the rows of the file are halves turned together with ours."""
    rows, x = numbers(seed, heads * 2 * half, columns), numbers(seed + 1, t, columns)
    theirs = ROPE(t, t, heads, half, interleaved=True).fwd((), x @ rows.T).y
    ours = ROPE(t, t, heads, half).fwd((), x @ halves_together(rows, heads).T).y
    assert np.allclose(halves_together(theirs.T, heads).T, ours, rtol=1e-5, atol=1e-5)


@given(config=configs)
def test_the_shapes_are_the_models(config: Any) -> None:
    shapes = [shape if len(shape) == 2 else (1, *shape) for _, shape in tensor_shapes(config)]
    assert shapes == [leaf.shape for leaf in config.model(1, 1).leaves]


@given(seed=seeds)
def test_four_and_eight_bits(seed: int) -> None:
    """By the formats' own formulas: a block of 32 numbers has a step (and for Q4_1 a lowest value) in float16."""
    rng = np.random.default_rng(seed)
    steps, lows = rng.random(2).astype(np.float16), rng.normal(size=2).astype(np.float16)
    small, bytes_ = rng.integers(0, 16, (2, 32)), rng.integers(-128, 128, (2, 32))
    packed = (small[:, :16] | (small[:, 16:] << 4)).astype(np.uint8)
    q4 = np.concatenate([steps.view(np.uint8).reshape(2, 2), lows.view(np.uint8).reshape(2, 2), packed], axis=1)
    q8 = np.concatenate([steps.view(np.uint8).reshape(2, 2), bytes_.astype(np.int8).view(np.uint8)], axis=1)
    wide_steps, wide_lows = steps.astype(np.float32)[:, None], lows.astype(np.float32)[:, None]
    config = MAKE(1, 64, 1, 1, 1, 1, 1)
    for kind, data, expected in (("Q4_1", q4, small * wide_steps + wide_lows), ("Q8_0", q8, bytes_ * wide_steps)):
        tensors = as_read(tensors_of(config, np.zeros(config.count(), np.float32)))
        tensors["token_embd.weight"] = tensor("token_embd.weight", data.reshape(1, -1), kind, (1, 64))
        read = read_weights(config, tensors)[:64]
        assert np.allclose(read, expected.reshape(-1), rtol=1e-6, atol=1e-6)


def test_tensors_that_are_missing_or_of_another_shape() -> None:
    tensors = as_read(tensors_of(UNTIED, numbers(0, UNTIED.count())))
    for name, found in tensors.items():
        with pytest.raises(CheckpointError, match=f"tensor '{name}' is missing"):
            read_weights(UNTIED, {key: value for key, value in tensors.items() if key != name})
        wrong = SimpleNamespace(**{**vars(found), "shape": np.array([*found.shape[:-1], 7], np.uint64)})
        with pytest.raises(CheckpointError, match=rf"tensor '{name}' must have shape \[.*\], got \[7"):
            read_weights(UNTIED, {**tensors, name: wrong})


@pytest.mark.parametrize("extra", ["blk.0.attn_q.bias", "rope_freqs.weight", "blk.2.attn_q.weight", "output.weight"])
def test_tensors_that_the_model_does_not_have(extra: str) -> None:
    tensors = as_read(tensors_of(TIED, numbers(0, TIED.count())))
    with pytest.raises(ConfigError, match=f"tensor '{extra}' is not supported: the model has no such part"):
        read_weights(TIED, {**tensors, extra: tensors["output_norm.weight"]})


def test_a_claim_of_a_billion_blocks_takes_no_memory() -> None:
    with pytest.raises(CheckpointError, match=r"tensor 'blk\.2\.attn_norm\.weight' is missing"):
        read_weights(dataclasses.replace(TIED, depth=10**9), as_read(tensors_of(TIED, numbers(0, TIED.count()))))


def test_a_type_that_the_package_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(data: object, kind: object) -> object:
        raise NotImplementedError

    monkeypatch.setattr(gguf.quants, "dequantize", refuse)
    with pytest.raises(ConfigError, match=r"tensor 'token_embd\.weight' is of type F32, which the package gguf cannot"):
        read_weights(TIED, as_read(tensors_of(TIED, numbers(0, TIED.count()))))
