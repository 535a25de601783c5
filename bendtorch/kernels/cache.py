"""Where compiled kernels are kept, and how several processes share them.

A directory belongs to one state of the kernels: its name is a digest of all their sources, the versions of what
compiles them, and the flags. So an edited kernel, also one that is only called by another, never meets stale code.

Code goes to `$BENDTORCH_CACHE_DIR`, else to the user's cache directory, else (a read-only home) to a private one among
the temporary files, else nowhere: then each process compiles for itself.

numba's own index is not safe against two processes that store at once; here a lock makes them take turns.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

try:
    import fcntl
except ImportError:  # not on Windows: there processes do not take turns
    fcntl = None  # type: ignore[assignment]


@functools.cache
def cache_directory() -> Path | None:
    """The directory of the present state of the kernels, made if need be; None where nothing can be written."""
    for base in _candidates():
        directory = base / "kernels" / _digest()
        try:
            directory.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=directory).close()
        except OSError:
            continue
        return directory
    return None


def _candidates() -> Iterator[Path]:
    """The places to try, in order."""
    chosen = os.environ.get("BENDTORCH_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    if sys.platform == "darwin":
        yield Path("~/Library/Caches/bendtorch").expanduser()
    elif sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "bendtorch"
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "bendtorch"
    private = _private_temporary()
    if private is not None:
        yield private


def _private_temporary() -> Path | None:
    """A directory among the temporary files that only this user can write: compiled code is loaded from it."""
    if not hasattr(os, "getuid"):
        return None
    directory = Path(tempfile.gettempdir()) / f"bendtorch-{os.getuid()}"
    with contextlib.suppress(OSError):
        directory.mkdir(mode=0o700, exist_ok=True)
        status = directory.lstat()
        if status.st_uid == os.getuid() and not status.st_mode & 0o077 and not directory.is_symlink():
            return directory
    return None


@functools.cache
def _digest() -> str:
    """A name for the present state: sources, versions, flags."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__, platform.machine())
    flags = tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith("NUMBA_") and "THREAD" not in k))
    digest.update(repr((versions, flags)).encode())
    return digest.hexdigest()[:24]


class _Locator(_CacheLocator):
    """Tells numba to keep a function in our directory, under its module's name and line."""

    def __init__(self, function: Any) -> None:
        self._py_file = function.__code__.co_filename
        self._place = f"{function.__module__}-{function.__code__.co_firstlineno}"

    def get_cache_path(self) -> str:
        return str(cache_directory())

    def get_source_stamp(self) -> str:
        return _digest()

    def get_disambiguator(self) -> str:
        return self._place

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func)


class _Impl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012  numba's own declaration


_preparations: list[Callable[[], None]] = []


def before_kernels(prepare: Callable[[], None]) -> None:
    """Have something done before the next kernel is compiled or loaded: it makes known what kernels call by name."""
    _preparations.append(prepare)


def prepare_kernels() -> None:
    """Do it now."""
    while _preparations:
        _preparations.pop()()


class KernelCache(FunctionCache):
    """numba's cache of one function, in our directory. Whatever goes wrong with the files, the kernel is compiled.

    numba's own key holds a digest of what a function closes over. A compiled function has another digest in every
    process, so a kernel that is made from one (`mapping`) would be stored again and again; here the qualified name says
    what such a kernel was made from, and the directory's name covers the sources of all of it.
    """

    _impl_class = _Impl

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._py_func.__qualname__

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None when it must be compiled: not stored yet, or stored damaged."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file can raise anything; compiling is always right
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled function, one process at a time; over a damaged index a new one is begun."""
        with contextlib.suppress(OSError), _turn():
            try:
                super().save_overload(sig, data)
            except OSError:
                raise
            except Exception:  # the index is read before it is written, and a damaged one can raise anything
                self.flush()
                super().save_overload(sig, data)


@contextlib.contextmanager
def _turn() -> Iterator[None]:
    """Hold the directory's lock."""
    directory = cache_directory()
    if fcntl is None or directory is None:
        yield
        return
    with (directory / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
