"""Looking into directories."""

from __future__ import annotations

from pathlib import Path


def names(directory: Path) -> list[str]:
    """The names of what lies in a directory, in order."""
    return sorted(path.name for path in directory.iterdir())
