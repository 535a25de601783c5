"""The tensors of a Llama: their names, in the order of the model's leaves, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bendtorch.errors import CheckpointError
from bendtorch.models.hugging_face.shards import opened
from bendtorch.models.hugging_face.weights import read_weights, tensor_shapes
from tests.support.arrays import same_bits
from tests.support.llamas import MAKE, READ, SHAPES, dump, weights, write_tensors

UNTIED: Any = MAKE(11, 12, 2, 3, 2, 5, 2, tied=False)
BILLIONS: Any = MAKE(11, 12, 2, 3, 2, 5, 10**9)
HUGE: Any = MAKE(10**12, 12, 2, 3, 2, 5, 2)


def read(folder: Path, tensors: dict[str, Any], config: Any = READ) -> Any:
    write_tensors(folder / "model.safetensors", tensors)
    with opened(folder) as found:
        return read_weights(folder, found, config)


def test_names_and_shapes_are_those_of_transformers() -> None:
    assert dict(tensor_shapes(READ)) == SHAPES
    assert dict(tensor_shapes(UNTIED)) == {**SHAPES, "lm_head.weight": (11, 12)}


@given(sizes=st.tuples(*[st.integers(1, 5)] * 7), tied=st.booleans())
def test_they_are_the_models_leaves_in_their_order(sizes: tuple[int, ...], tied: bool) -> None:
    config = MAKE(*sizes, tied=tied)
    leaves = config.model(1, 1).leaves
    assert [shape for _, shape in tensor_shapes(config)] == [leaf.stored_shape for leaf in leaves]


@pytest.mark.parametrize("dtype", ["F32", "BF16", "F16"])
def test_the_numbers_of_every_type(tmp_path: Path, dtype: str) -> None:
    tensors = weights(1, dtype)
    assert same_bits(read(tmp_path, tensors), dump(tensors))


def test_types_may_differ_from_tensor_to_tensor(tmp_path: Path) -> None:
    kinds = [weights(2, dtype) for dtype in ("F32", "BF16", "F16")]
    tensors = {name: kinds[k % 3][name] for k, name in enumerate(SHAPES)}
    assert same_bits(read(tmp_path, tensors), dump(tensors))


def test_the_output_of_an_untied_model_comes_last(tmp_path: Path) -> None:
    output = np.arange(11 * 12, dtype=np.float32).reshape(11, 12)
    found = read(tmp_path, {**weights(), "lm_head.weight": ("F32", output)}, UNTIED)
    assert same_bits(found[-132:], output.reshape(-1))
    assert same_bits(found[:-132], dump(weights()))


def test_a_tied_output_may_be_stored_too_but_not_another(tmp_path: Path) -> None:
    table = weights()["model.embed_tokens.weight"][1]
    found = read(tmp_path, {**weights(), "lm_head.weight": ("F32", table)})
    assert same_bits(found, dump(weights()))
    other = table.copy()
    other[-1, -1] = np.nextafter(other[-1, -1], np.float32(9))
    with pytest.raises(CheckpointError, match=r"'lm_head.weight' is not 'model.embed_tokens.weight', but config.json"):
        read(tmp_path, {**weights(), "lm_head.weight": ("F32", other)})
    with pytest.raises(CheckpointError, match=r"'lm_head.weight' must have shape \[11, 12\]"):
        read(tmp_path, {**weights(), "lm_head.weight": ("F32", table[:10])})


def test_the_angles_that_old_files_hold_are_passed_over(tmp_path: Path) -> None:
    angles = ("F32", np.ones(2, np.float32))
    tensors = {**weights(), "model.layers.0.self_attn.rotary_emb.inv_freq": angles}
    assert same_bits(read(tmp_path, tensors), dump(weights()))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("model.layers.0.self_attn.q_proj.bias", "biases are not supported"),
        ("model.layers.0.self_attn.q_norm.weight", "norms of queries and keys are not supported"),
        ("model.layers.0.self_attn.q_proj.lora_A.weight", "merge the adapter"),
        ("model.layers.0.self_attn.q_proj.qweight", "quantised weights are not supported"),
        ("model.layers.2.mlp.up_proj.weight", "config.json says a Llama of 2 blocks"),
        ("score.weight", "config.json says a Llama of 2 blocks"),
    ],
)
def test_other_tensors_are_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(CheckpointError, match=f"tensor '{name}' is not part of the model; {text}"):
        read(tmp_path, {**weights(), name: ("F32", np.zeros(2, np.float32))})


@pytest.mark.parametrize("name", SHAPES)
def test_each_tensor_must_be_there_in_its_shape_and_type(tmp_path: Path, name: str) -> None:
    others = {each: value for each, value in weights().items() if each != name}
    with pytest.raises(CheckpointError, match=f"{tmp_path}: tensor '{name}' is missing"):
        read(tmp_path, others)
    array = weights()[name][1]
    with pytest.raises(CheckpointError, match=f"'{name}' must have shape .* which follows from config.json"):
        read(tmp_path, {**others, name: ("F32", array[1:])})
    with pytest.raises(CheckpointError, match=f"'{name}' must be of F32, BF16, F16, got F64"):
        read(tmp_path, {**others, name: ("F64", array.astype(np.float64))})


def test_an_untied_model_needs_its_output(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"'lm_head.weight' is missing; .* set tie_word_embeddings if it shares"):
        read(tmp_path, weights(), UNTIED)


@pytest.mark.parametrize("config", [BILLIONS, HUGE])
def test_sizes_that_a_file_only_claims_cost_nothing(tmp_path: Path, config: Any) -> None:
    with pytest.raises(CheckpointError, match=r"is missing|must have shape"):
        read(tmp_path, weights(), config)
