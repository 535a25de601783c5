"""LLVM code of our own as functions that kernels call by name, compiled once and kept on disk.

numba compiles what a kernel calls anew for each kernel that calls it. A function here is compiled once, for the
processor that numba compiles for, and is found by its symbol, as a function of a C library is.
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
from numba import types
from numba.core.ccallback import CFunc
from numba.core.registry import cpu_target

from bendtorch.kernels.cache import KernelCache, cache_directory

_engines: Final[list[Any]] = []  # code lives as long as what loaded it


def provide(name: str, build: Callable[[], Any], functions: tuple[str, ...]) -> None:
    """Make the functions of a module known by their names. It is built and compiled only if no file holds it yet."""
    triple, processor, features = cpu_target.target_context.codegen().magic_tuple()
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=processor, features=features, opt=3, jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(_compiled(name, build, machine, processor + features)))
    engine.finalize_object()
    for function in functions:
        llvm.add_symbol(function, engine.get_function_address(function))
    _engines.append(engine)


def provide_function(name: str, function: Callable[..., None], signature: Any) -> Any:
    """Compile a function that cannot fail, and make it known by a name; gives what kernels call.

    A kernel that is called by others is compiled again for each of them. This one is compiled once.
    """
    compiled: Any = CFunc(function, (signature.args, signature.return_type), {}, {"error_model": "numpy"})
    if cache_directory() is not None:
        compiled._cache = KernelCache(function)
    compiled.compile()
    llvm.add_symbol(name, compiled.address)
    _engines.append(compiled)
    return types.ExternalFunction(name, signature)


def _compiled(name: str, build: Callable[[], Any], machine: Any, target: str) -> bytes:
    """The module's object file."""
    directory = cache_directory()
    if directory is None:
        return _emitted(build, machine)
    place = directory / f"{name}-{hashlib.sha256(target.encode()).hexdigest()[:16]}.o"
    with contextlib.suppress(OSError):
        data = place.read_bytes()
        if data[:32] == hashlib.sha256(data[32:]).digest():
            return data[32:]
    data = _emitted(build, machine)
    with contextlib.suppress(OSError):
        _keep(place, hashlib.sha256(data).digest() + data)
    return data


def _emitted(build: Callable[[], Any], machine: Any) -> bytes:
    data: bytes = machine.emit_object(llvm.parse_assembly(str(build())))
    return data


def _keep(place: Path, data: bytes) -> None:
    """Write a file that no other process ever sees in part."""
    descriptor, name = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    Path(name).replace(place)
