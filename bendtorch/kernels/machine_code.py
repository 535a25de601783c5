"""LLVM code of our own as functions that kernels call by name, compiled once and kept on disk.

numba compiles what a kernel calls anew for each kernel that calls it. A function here is compiled once, for the
processor that numba compiles for, and is found by its symbol, as a function of a C library is.

Code is kept under the name of what it was compiled for, with a digest of both: a file that is damaged, or that another
processor's code was copied over, is not loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm
import numba
from numba.core.ccallback import CFunc
from numba.core.registry import cpu_target

from bendtorch.kernels.cache import KernelCache, cache_directory

DIGEST: Final = 32
_engines: Final[list[Any]] = []  # code lives as long as what loaded it


def features() -> frozenset[str]:
    """What the processor can do, as LLVM writes it ("+avx2"); nothing where numba does not say."""
    try:
        return frozenset(_target()[2].split(","))
    except Exception:  # no public part of numba says it
        return frozenset()


def _target() -> tuple[str, str, str]:
    """The system, the processor and its features that numba compiles for."""
    system, processor, its_features = cpu_target.target_context.codegen().magic_tuple()
    return system, processor, its_features


def provide(name: str, build: Callable[[], Any], functions: tuple[str, ...]) -> None:
    """Make the functions of a module known by their names. It is built and compiled only if no file holds it yet."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(_compiled(name, build)))
    engine.finalize_object()
    for function in functions:
        llvm.add_symbol(function, engine.get_function_address(function))
    _engines.append(engine)


def provide_function(name: str, function: Callable[..., None], signature: Any, *, kept: bool = True) -> None:
    """Compile a function that cannot fail, and make it known by a name; or load it, where it is `kept` on disk.

    A kernel that is called by others is compiled again for each of them. This one is compiled once.
    """
    if kept and cache_directory() is not None:
        compiled: Any = CFunc(function, (signature.args, signature.return_type), {}, {"error_model": "numpy"})
        compiled._cache = KernelCache(function)
        compiled.compile()
    else:
        compiled = numba.cfunc(signature, error_model="numpy")(function)
    llvm.add_symbol(name, compiled.address)
    _engines.append(compiled)


def _compiled(name: str, build: Callable[[], Any]) -> bytes:
    """The module's object file."""
    directory = cache_directory()
    if directory is None:
        return _emitted(build)
    target = repr(_target()).encode()
    place = directory / f"{name}-{hashlib.sha256(target).hexdigest()[:16]}.o"
    with contextlib.suppress(OSError):
        kept = place.read_bytes()
        digest, data = kept[:DIGEST], kept[DIGEST:]
        if digest == hashlib.sha256(target + data).digest():
            return data
    data = _emitted(build)
    with contextlib.suppress(OSError):
        _keep(place, hashlib.sha256(target + data).digest() + data)
    return data


def _emitted(build: Callable[[], Any]) -> bytes:
    data: bytes = _machine().emit_object(llvm.parse_assembly(str(build())))
    return data


def _machine() -> Any:
    system, processor, its_features = _target()
    target = llvm.Target.from_triple(system)
    return target.create_target_machine(cpu=processor, features=its_features, opt=3, jit=True)


def _keep(place: Path, data: bytes) -> None:
    """Write a file that no other process ever sees in part."""
    descriptor, name = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).replace(place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
