"""Weights as decoding reads them: where each matrix lies, in 32 bits and in 16."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch import Key
from bendtorch.errors import ConfigError, DtypeError, ShapeError
from bendtorch.generate.weights import FIRST_NORM, SECOND_NORM, Weights, weights_of
from bendtorch.models import init_normal
from tests.support.arrays import numbers, same_bits
from tests.support.decoding import TIED, configs, with_weights
from tests.support.sizes import seeds

ORDER = (FIRST_NORM, "q", "k", "v", "o", SECOND_NORM, "gate", "up", "down")


def test_parameters_in_one_array_are_not_copied() -> None:
    """As `load_llama`, `load_gguf` and `Train` have them; others are, and those with Dropout's counters."""
    model, dropping, flat = TIED.model(1, 2), TIED.model(1, 2, dropout=0.5), numbers(0, TIED.count() + 9)
    exact = flat[: TIED.count()].copy()
    assert weights_of(model, model.view(exact, 0)) is exact
    assert weights_of(TIED.model(3, 4), model.view(exact, 0)) is exact
    for p in (model.view(flat, 0), model.view(flat, 9), init_normal(model, Key(0))):
        copied = weights_of(model, p)
        assert same_bits(copied, model.dump(p))
        assert not np.shares_memory(copied, flat)
    longer = np.zeros(dropping.count(), np.float32)
    assert weights_of(dropping, dropping.view(longer, 0)).size == TIED.count()


@given(config=configs, seed=seeds)
def test_every_matrix_is_the_models(config: Any, seed: int) -> None:
    """In the model's own order of leaves, which its names tell."""
    model, flat = config.model(1, 1), numbers(seed, config.count())
    parts = np.split(flat, np.cumsum([leaf.cells for leaf in model.leaves])[:-1])
    weights = Weights.stored(config, flat, "float32")
    assert same_bits(parts[0], flat[weights.layout.table : weights.layout.blocks])
    for block in range(config.depth):
        for name, part in zip(ORDER, parts[1 + 9 * block :], strict=False):
            is_gain = name in {FIRST_NORM, SECOND_NORM}
            found = weights.gain(block, name) if is_gain else weights.matrix(block, name)
            assert same_bits(found, part)
            assert weights.shapes[name] == model.leaves[1 + 9 * block + ORDER.index(name)].shape
    assert weights.layout.output == (0 if config.tied else config.count() - parts[-1].size)


@pytest.mark.parametrize("storage", ["bfloat16", "float16"])
@given(config=configs, seed=seeds)
def test_gains_stay_in_float32(storage: Any, config: Any, seed: int) -> None:
    flat = numbers(seed, config.count())
    wide, narrow = Weights.stored(config, flat, "float32"), Weights.stored(config, flat, storage)
    assert narrow.cells.nbytes == flat.nbytes // 2
    for block in range(config.depth):
        for name in (FIRST_NORM, SECOND_NORM):
            assert same_bits(narrow.gain(block, name), wide.gain(block, name))
    d, last = config.width, narrow.layout.last_gain
    assert same_bits(narrow.gains[last:], wide.gains[wide.layout.last_gain :][:d])


def test_weights_are_the_dump() -> None:
    model, p = with_weights(TIED, 1, 0)
    assert same_bits(weights_of(model, p), model.dump(p))


def test_float16_has_an_end() -> None:
    flat = np.zeros(TIED.count(), np.float32)
    flat[3] = 7e4
    with pytest.raises(ConfigError, match='up to 65504, the largest weight is 70000; take storage="bfloat16"'):
        Weights.stored(TIED, flat, "float16")


@pytest.mark.parametrize("storage", ["float64", "int8", None, np.float32])
def test_refused_storages(storage: Any) -> None:
    with pytest.raises(ConfigError, match="storage must be one of float32, bfloat16, float16"):
        Weights.stored(TIED, np.zeros(TIED.count(), np.float32), storage)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((1, 2), np.float32), [1.0], None])
def test_refused_weights(wrong: Any) -> None:
    with pytest.raises(DtypeError, match=r"weights must be a flat float32 array.*weights_of\(model, p\)"):
        Weights.stored(TIED, wrong, "float32")


def test_weights_of_what_is_no_model() -> None:
    wrong: Any = weights_of
    with pytest.raises(ConfigError, match=r"^weights_of: model must be a layer, got None"):
        wrong(None, ())


def test_weights_of_another_model() -> None:
    with pytest.raises(ShapeError, match=rf"has {TIED.count()} weights, got 5"):
        Weights.stored(TIED, np.zeros(5, np.float32), "float32")


def test_strided_weights_are_copied() -> None:
    flat = numbers(0, 2 * TIED.count())[::2]
    assert same_bits(Weights.stored(TIED, flat, "float32").cells, np.ascontiguousarray(flat))
