"""Writing a file whole or not at all.

The bytes go to a temporary file in the target's own directory and are flushed to the disk; the file is then renamed
over the target, so whoever reads the target finds the old file or the new one, also after a crash.

A crash leaves its temporary file behind, which the next save of the same target removes. Its name says who wrote it,
`.bendtorch-TARGET.HOST-PROCESS-TOKEN`: it is taken away when that process of this host is gone, or, where that cannot
be asked (a shared directory, another system), when nothing was written into it for an hour.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import os
import platform
import re
import secrets
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from bendtorch.errors import CheckpointError

PREFIX: Final = ".bendtorch-"
STALE: Final = 3600.0  # seconds
WRITER: Final = re.compile(r"(?P<host>[0-9a-f]{8})-(?P<process>\d{1,9})-[0-9a-f]{8}")

_own: Final[set[Path]] = set()  # what this process is writing, also in other threads


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` when the block ends, and vanishes when the block fails.

    It keeps the mode of the file that it replaces. Raises `CheckpointError` when `path` is something else than a file
    (a directory, a device, a pipe: those are never replaced), and `FileNotFoundError` when its directory is missing.
    """
    path = Path(os.path.realpath(path))  # through a link, the file that it points to is replaced, not the link
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the directory {path.parent} does not exist; make it first")
    if path.exists() and not path.is_file():
        raise CheckpointError(f"{path}: not a regular file, so it is not replaced; name a file")
    _remove_stale(path)
    temporary = path.with_name(f"{PREFIX}{path.name}.{_host()}-{os.getpid()}-{secrets.token_hex(4)}")
    _own.add(temporary)
    try:
        with temporary.open("xb") as file:
            if path.exists():
                temporary.chmod(path.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    finally:
        _own.discard(temporary)
    _sync_directory(path.parent)


def _remove_stale(path: Path) -> None:
    """Remove what saves of `path` that crashed have left. That this fails is no reason not to save."""
    start = f"{PREFIX}{path.name}."
    for left in path.parent.glob(f"{glob.escape(start)}*"):
        writer = WRITER.fullmatch(left.name.removeprefix(start))
        with contextlib.suppress(OSError):  # another save was faster, or it is not ours to remove
            if writer is not None and _is_stale(left, writer["host"], int(writer["process"])):
                left.unlink()


def _is_stale(temporary: Path, host: str, process: int) -> bool:
    """Whether nobody is writing a temporary file any more."""
    if host == _host() and process == os.getpid():
        return temporary not in _own  # an earlier process had our number, as happens in containers
    if host == _host() and os.name == "posix":
        return not _is_running(process)
    return time.time() - temporary.stat().st_mtime > STALE


def _is_running(process: int) -> bool:
    """Whether a process of this host is there; for POSIX only: elsewhere signal 0 would end it."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    return True


@functools.cache
def _host() -> str:
    """What stands for this machine in a name; a container, which numbers its processes by itself, is one too."""
    space = Path("/proc/self/ns/pid")
    number = space.stat().st_ino if space.exists() else 0
    return f"{zlib.crc32(f'{platform.node()} {number}'.encode()):08x}"


def _sync_directory(directory: Path) -> None:
    """Make the rename itself durable, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
