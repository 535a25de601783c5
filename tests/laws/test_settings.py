"""The list in pyproject.toml, and what is said of one that means nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bendtorch.errors import ConfigError
from bendtorch.laws.settings import Suite, read_suites


def read(tmp_path: Path, text: str) -> tuple[Suite, ...]:
    path = tmp_path / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return read_suites(path)


def test_layers_with_options_and_without(tmp_path: Path) -> None:
    text = """
    [tool.bendtorch]
    laws = [
        "shop.layers:Scale",
        { layer = "shop.layers:Heads(2, 4)", skip = "L31", claims = ["L52", "L57"], cases = 500, seed = 3 },
    ]
    """
    options = {"skip": "L31", "claims": ["L52", "L57"], "cases": 500, "seed": 3}
    assert read(tmp_path, text) == (Suite("shop.layers:Scale", {}), Suite("shop.layers:Heads(2, 4)", options))


@pytest.mark.parametrize("text", ["", "[tool.other]\nlaws = 3", "[tool.bendtorch]\nother = 3", "[project]\nname = 'a'"])
def test_no_list(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == ()
    assert read_suites(tmp_path / "nowhere.toml") == ()


@pytest.mark.parametrize(
    ("laws", "text"),
    [
        ('"a:B"', "laws: expected a list, one entry for each layer, got 'a:B'"),
        ("[3]", r'laws\[0\]: expected "module:name" or \{ layer = "module:name", … \}, got 3'),
        ('["a:B", { skip = "L31" }]', r"laws\[1\]: expected "),
        ('[{ layer = "a:B", skips = "L31" }]', "there is no 'skips'; there are layer, only, skip, claims, cases, seed"),
        ('[{ layer = "a:B", skip = [31] }]', r"""skip: expected a law's number like "L31", .*, got \[31\]"""),
    ],
)
def test_what_it_cannot_mean_is_refused(tmp_path: Path, laws: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"pyproject\.toml: \[tool\.bendtorch\] .*{text}"):
        read(tmp_path, f"[tool.bendtorch]\nlaws = {laws}")


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pyproject\.toml: cannot be read"):
        read(tmp_path, "[tool")
