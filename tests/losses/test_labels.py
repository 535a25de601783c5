"""The options of losses over labels, and what is said of labels and options that do not fit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from bendtorch.errors import ConfigError, IndexRangeError, ShapeError
from bendtorch.losses.labels import classes, refuse_empty
from tests.support.arrays import same_bits

CLASSES: Any = classes


@pytest.mark.parametrize("weight", [[1, 0.5, 0], (1.0, 0.5, 0.0), np.array([1, 0.5, 0], np.float32)])
def test_weights_are_a_copy(weight: Any) -> None:
    made = CLASSES("L(2, 3)", 2, 3, None, weight)
    assert same_bits(made.weights, np.array([1, 0.5, 0], np.float32))
    assert not np.shares_memory(made.weights, np.asarray(weight))
    assert made.weights.flags.carray


def test_without_weights_every_class_counts_one() -> None:
    assert same_bits(CLASSES("L(2, 3)", 2, 3, None, None).weights, np.ones(3, np.float32))


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ([1, 2], "got an array of shape [2]"),
        (np.ones((3, 1), np.float32), "got an array of shape [3, 1]"),
        ([1, -1, 1], "weight[1] is -1.0"),
        ([1, 1, np.nan], "weight[2] is nan"),
        ([np.inf, 1, 1], "weight[0] is inf"),
        ([1e39, 1, 1], "weight[0] is 1e+39"),
        (np.ones(3), "got an array of float64; convert it with weight.astype(np.float32)"),
        (["1", 1, 1], "got ['1', 1, 1]"),
        ([True, 1, 1], "got [True, 1, 1]"),
        (1.0, "got float"),
        ("abc", "got str"),
    ],
)
def test_other_weights_are_refused(weight: Any, text: str) -> None:
    whole = f"L(2, 3): weight must be 3 finite numbers of at least 0 (float32 where they are an array), {text}"
    with pytest.raises(ConfigError, match=f"^{re.escape(whole)}$"):
        CLASSES("L(2, 3)", 2, 3, None, weight)


@pytest.mark.parametrize("ignored", [1.0, "1", True, 2**63, -(2**63) - 1])
def test_an_ignored_label_is_an_int(ignored: Any) -> None:
    with pytest.raises(ConfigError, match=r"^L\(2, 3\): ignore_index must be an int that fits int64, or None, got "):
        CLASSES("L(2, 3)", 2, 3, ignored, None)


@pytest.mark.parametrize("ignored", [-100, -1, 0, 2, 3, 2**63 - 1, -(2**63)])
def test_the_ignored_label_need_not_be_a_class(ignored: int) -> None:
    made, y = CLASSES("L(2, 3)", 2, 3, ignored, None), np.zeros((2, 3), np.float32)
    labels = np.array([ignored, 1])
    assert same_bits(made.check(y, labels)[1], labels)
    with pytest.raises(IndexRangeError, match=r"^L\(2, 3\): target\[1\] is -7, labels go from 0 to 2$"):
        made.check(y, np.array([ignored, -7]))


def test_pytorchs_ignored_label_is_refused_with_advice() -> None:
    made = CLASSES("L(2, 3)", 2, 3, None, None)
    text = "L(2, 3): target[0] is -100, labels go from 0 to 2; ignore_index=-100 leaves it out"
    with pytest.raises(IndexRangeError, match=f"^{re.escape(text)}$"):
        made.check(np.zeros((2, 3), np.float32), np.array([-100, 0]))


def test_an_empty_batch() -> None:
    refuse_empty("L(1, 3)", 1)
    with pytest.raises(
        ShapeError, match=r"^L\(0, 3\): the mean over an empty batch is not defined; skip empty batches$"
    ):
        refuse_empty("L(0, 3)", 0)
