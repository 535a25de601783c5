"""Checks of arguments that are no arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bendtorch import Adam
from bendtorch.errors import ConfigError
from bendtorch.shapes.arguments import as_folder, as_path, expect, expect_function, shown
from tests.support.models import LIN


def test_what_is_of_the_kind_passes() -> None:
    expect("f", "x", True, int, "an int")
    expect("f", "x", "a", (int, str), "an int or a str")
    expect_function("f", "x", len, "a function")
    assert as_path("f", "a/b") == as_path("f", Path("a/b")) == Path("a/b")


def test_what_is_not_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^f: x must be an int, such as 3, got 1\.5$"):
        expect("f", "x", 1.5, int, "an int, such as 3")
    with pytest.raises(ConfigError, match=r"^f: x must be a function, got the class Adam; call it with its settings$"):
        expect_function("f", "x", Adam, "a function")
    with pytest.raises(ConfigError, match=r'^f: path must be the name of a file, such as "run.safetensors", got None$'):
        as_path("f", None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r'^f: folder must be the name of a folder, such as "runs/a", got 3$'):
        as_folder("f", 3)  # type: ignore[arg-type]


def test_a_folder_may_be_missing_but_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert as_folder("f", str(tmp_path)) == tmp_path
    assert as_folder("f", tmp_path / "new") == tmp_path / "new"
    with pytest.raises(ConfigError, match="file is a file; name a folder, which is made where it is missing"):
        as_folder("f", tmp_path / "file")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Adam, "the class Adam; call it with its settings"),
        (np.zeros((2, 3)), "an array of float64 and shape [2, 3]"),
        ((1, 2, 3), "a tuple of 3"),
        (len, "the function len"),
        (object(), "a object"),
        (LIN(1, 2, 3), "Linear(1, 2, 3)"),
        ([1.0, 2.0], "[1.0, 2.0]"),
        ("a\nb", r"'a\nb'"),
        ("x" * 99, "'" + "x" * 59 + "…"),
    ],
)
def test_values_in_a_few_words(value: Any, text: str) -> None:
    assert shown(value) == text


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"^f: .*file is a file; name a folder$"):
        as_folder("f", tmp_path / "file", made=False)
    with pytest.raises(ConfigError, match=r"^f: the name of the folder is empty; "):
        as_folder("f", "")
