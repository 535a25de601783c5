"""The one wrapper that makes a kernel out of a Python function.

Flags, the same everywhere: no GIL while it runs, numpy's rules for division by zero, strict float semantics, compiled
at the first call, kept on disk (`cache`). `fastmath` would drop NaN; only a `reduction` may reassociate its sums, so
that they run in vector lanes. Every flag is said for every function: numba lets one that is not said pass from the
caller that happens to be compiled first to the function it calls.

With `NUMBA_DISABLE_JIT=1` a kernel is the Python function itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numba
from numba import config
from numba.core.registry import CPUDispatcher

from bendtorch.kernels.cache import KernelCache, cache_directory, prepare_kernels
from bendtorch.kernels.pipeline import KernelCompiler

Function = TypeVar("Function", bound=Callable[..., Any])

JIT: Final = not config.DISABLE_JIT
OURS: Final = f"{__name__.partition('.')[0]}."

# Reassociation and contraction may change a sum's last bits; NaN and infinities keep their meaning.
REASSOCIATE: Final = frozenset({"reassoc", "contract", "nsz"})


class Kernel(CPUDispatcher):
    """The type of what is compiled here: one of our own, so that its calls can be written down (`recording`)."""


def kernel(function: Function) -> Function:
    """A function compiled at its first call, cached on disk, callable from Python and from other kernels."""
    compiled = uncached_kernel(function)
    if JIT and cache_directory() is not None:
        dispatcher: Any = compiled
        dispatcher._cache = KernelCache(function)
    return compiled


def uncached_kernel(function: Function) -> Function:
    """A kernel that is compiled in every process: one made from a user's function, or a part of a cached one."""
    return _compiled(function)


def helper(function: Function) -> Function:
    """A small function that is inlined into the kernels that call it."""
    return _compiled(function, forceinline=True)


def reduction(function: Function) -> Function:
    """A function whose sum or maximum may be taken in any order, in vector lanes.

    It stores into no array: a loop that stores is compiled twice, for arrays that lie close together and for others,
    and the two may sum in different orders.
    """
    return _compiled(function, set(REASSOCIATE))


def _compiled(function: Function, fastmath: bool | set[str] = False, *, forceinline: bool = False) -> Function:
    """What numba makes of it, with every flag said; the function itself with the JIT off."""
    if not JIT:
        return function
    _name_apart(function)
    make = numba.njit(
        nogil=True,
        error_model="numpy",
        fastmath=fastmath,
        forceinline=forceinline,
        no_cfunc_wrapper=True,  # nothing in C calls it by its name: a tenth of the time to compile is saved
        pipeline_class=KernelCompiler,
    )
    dispatcher: Any = make(function)
    dispatcher.__class__ = Kernel
    compile_or_load = dispatcher.compile

    def compile_prepared(signature: Any) -> Any:
        prepare_kernels()  # before numba notes that this function is being compiled: what is prepared may call it
        return compile_or_load(signature)

    dispatcher.compile = compile_prepared
    return cast("Function", dispatcher)


def _name_apart(function: Any) -> None:
    """Give a function of ours that is made inside of another a name that none has in any process.

    Its code may be kept on disk, as a part of a kernel that calls it, and the linker knows it by its name and a number
    that numba counts anew in each process. Two that were made from one text, for two kernels kept by two processes,
    would be one to a third process, which takes the first that it loads. (A user's function is never kept.)
    """
    if "<locals>" in function.__qualname__ and function.__module__.startswith(OURS):
        function.__qualname__ = f"{function.__qualname__}.{secrets.token_hex(8)}"
