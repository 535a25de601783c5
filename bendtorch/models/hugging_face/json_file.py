"""A file that holds one JSON object, from anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from bendtorch.checkpoint.atomic import replacing
from bendtorch.checkpoint.format import require_file
from bendtorch.errors import CheckpointError

LONGEST: Final = 1 << 24  # bytes; the index of a model of a thousand blocks has one million


def read_object(path: Path) -> dict[str, Any]:
    """The object. Raises `CheckpointError` for anything else, and for a key that stands in it twice."""
    require_file(path)
    with path.open("rb") as file:
        text = file.read(LONGEST + 1)
    if len(text) > LONGEST:
        raise CheckpointError(f"{path}: has more than {LONGEST} bytes; it is no configuration or index")
    try:
        found = json.loads(text.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as problem:
        raise CheckpointError(f"{path}: not valid JSON ({problem})") from None
    if not isinstance(found, dict):
        raise CheckpointError(f"{path}: must hold an object, got a {type(found).__name__}")
    return found


def write_object(path: Path, content: dict[str, Any]) -> None:
    """Write an object, whole or not at all."""
    with replacing(path) as file:
        file.write(json.dumps(content, indent=2, allow_nan=False).encode() + b"\n")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return found
