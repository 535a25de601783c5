"""Golden vectors: what is written is read again; what has changed is seen, and the last digits are not."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from reference.golden.files import numbers, path_of, stale, text_of

CASE: dict[str, Any] = {
    "sizes": [2, 2],
    "options": {"eps": 0.5},
    "input_names": ["x"],
    "x": [[1.0, -2.5], [0.0, 3.0]],
    "ids": [1, 0],
    "y": [[math.nan, math.inf], [-math.inf, 1 / 3]],
    "loss": 0.25,
}
TEXT = text_of("Name", [CASE, CASE])


def test_what_is_written_is_read() -> None:
    content = json.loads(TEXT)
    assert content["name"] == "Name"
    assert len(content["cases"]) == 2
    assert str(content["cases"][0]) == str(CASE)
    assert stale(TEXT, [CASE, CASE]) == ""


def test_the_last_digits_may_differ() -> None:
    assert stale(TEXT, [CASE, {**CASE, "x": [[1.0 + 1e-13, -2.5], [1e-13, 3.0]], "loss": 0.25 + 1e-13}]) == ""


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"x": [[1.0, -2.5], [0.0, 3.00001]]}, "x of case 1 has changed"),
        ({"x": [[1.0, -2.5]]}, "x of case 1 has changed"),
        ({"y": [[math.inf, math.inf], [-math.inf, 1 / 3]]}, "y of case 1 has changed"),
        ({"loss": 0.26}, "loss of case 1 has changed"),
        ({"options": {}}, "options of case 1 has changed"),
        ({"input_names": ["q"]}, "input_names of case 1 has changed"),
        ({"ids": [1, 1]}, "ids of case 1 has changed"),
        ({"dx": [1.0]}, "case 1 has sizes, options, input_names, x, ids, y, loss, now "),
    ],
)
def test_changes_are_seen(change: Any, text: str) -> None:
    assert stale(TEXT, [CASE, {**CASE, **change}]).startswith(text)


def test_cases_are_counted() -> None:
    assert stale(TEXT, [CASE]) == "2 cases in the file, 1 now"


def test_numbers_have_twelve_digits_and_no_signed_zero() -> None:
    assert numbers(np.array([1 / 3, 1.0, -0.0])) == [0.333333333333, 1.0, 0.0]
    assert str(numbers(np.array([-0.0]))) == "[0.0]"
    assert numbers(np.array([3, 4])) == [3, 4]
    assert numbers(np.float64(0.5)) == 0.5


def test_a_file_is_named_after_its_layer() -> None:
    assert path_of("ReLU").as_posix().endswith("tests/golden/ReLU.json")
