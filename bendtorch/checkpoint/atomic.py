"""Writing a file whole or not at all.

The bytes go to a temporary file in the target's own directory and are flushed to the disk; the file is then renamed
over the target, so whoever reads the target finds the old file or the new one, also after a crash.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

PREFIX: Final = ".bendtorch-"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` when the block ends, and vanishes when the block fails."""
    path = Path(os.path.realpath(path))  # through a link, the file that it points to is replaced, not the link
    temporary = path.with_name(f"{PREFIX}{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(path.parent)


def _sync_directory(directory: Path) -> None:
    """Make the rename itself durable, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
