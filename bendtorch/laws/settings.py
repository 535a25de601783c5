"""The laws in a project's pyproject.toml: which of its layers are checked, and how.

[tool.bendtorch]
laws = [
    "shop.layers:Scale",
    { layer = "shop.layers:Heads", skip = "L31", claims = ["L52"], cases = 500 },
]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bendtorch.errors import ConfigError

FILE: Final = "pyproject.toml"
TABLE: Final = "[tool.bendtorch] laws"
NUMBERS: Final = ("only", "skip", "claims")
COUNTS: Final = ("cases", "seed")
KEYS: Final = ("layer", *NUMBERS, *COUNTS)


@dataclass(frozen=True)
class Suite:
    """One layer to check: `target` is its `module:name`, `options` are those of `check`."""

    target: str
    options: Mapping[str, Any]


def read_suites(path: Path) -> tuple[Suite, ...]:
    """The list in a pyproject.toml; empty where it has none. Raises `ConfigError` for what it cannot mean."""
    try:
        whole = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error})") from error
    tool = whole.get("tool", {})
    entries = tool.get("bendtorch", {}).get("laws", []) if isinstance(tool, dict) else []
    if not isinstance(entries, list):
        raise ConfigError(f"{path}: {TABLE}: expected a list, one entry for each layer, got {entries!r}")
    return tuple(_suite(f"{path}: {TABLE}[{place}]", entry) for place, entry in enumerate(entries))


def _suite(where: str, entry: object) -> Suite:
    """One entry of the list."""
    if isinstance(entry, str):
        return Suite(entry, {})
    if not isinstance(entry, dict) or not isinstance(entry.get("layer"), str):
        raise ConfigError(f'{where}: expected "module:name" or {{ layer = "module:name", … }}, got {entry!r}')
    unknown = [key for key in entry if key not in KEYS]
    if unknown:
        raise ConfigError(f"{where}: there is no {unknown[0]!r}; there are {', '.join(KEYS)}")
    for key in NUMBERS:
        numbers = entry.get(key, [])
        if not isinstance(numbers, str) and not (
            isinstance(numbers, list) and all(isinstance(number, str) for number in numbers)
        ):
            raise ConfigError(
                f'{where}: {key}: expected a law\'s number like "L31", or a list of them, got {numbers!r}'
            )
    return Suite(entry["layer"], {key: value for key, value in entry.items() if key != "layer"})
