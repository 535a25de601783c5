"""Threads that run the chunks of a kernel, waiting outside of Python.

A worker is a Python thread that enters a compiled loop without the GIL and never returns: it spins for a while for the
next job, then sleeps on a condition variable. A job is a function, its arguments and a number of chunks; whoever is
free takes the next chunk. The caller works too, so a job finishes even without workers.

Why not numba's threading layers (measured here on two cores, see CONTRIBUTING): `omp` kills a forked child, `workqueue`
aborts when two Python threads meet and takes 90 to 130 microseconds to start a job, `tbb` needs another package; and a
function compiled with `parallel=True` takes a second longer to compile. Here a job starts in about a microsecond, a
second Python thread that finds the workers busy runs its own chunks, and a forked child gets workers of its own.

A job's chunks are dealt out in equal runs, one to each thread, so that a thread meets the same part of an array in one
kernel after another and finds it in its own cache; who is done helps the others. Every other job takes the chunks of a
share from the last to the first: it begins with what the one before touched last, which is still in the cache. Copying
arrays a little larger than the caches takes a quarter less time so.

The state is a block of int64 cells that is never freed, each hot cell on a cache line of its own:

    JOBS     how many jobs there were: what workers watch
    DONE     finished chunks of the present job; a flag: one failed
    CALL     function, arguments, turn     BUSY     a caller owns the pool
    SLEEP    sleeping workers              CONTROL  stop flag; how many workers may help
    MUTEX, CONDITION   for sleeping
    SHARES   one for each thread: end << 32 | next place; one atomic addition claims a place and says whether it exists;
             and what a place is subtracted from for its chunk: 0, or its mirror
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from typing import Any, Final

import llvmlite.binding as llvm
import numpy as np
from numba import types
from numba.extending import intrinsic

from bendtorch.errors import ConfigError
from bendtorch.kernels.atomics import I64, call_chunk, exchange, fetch_add, load, pause, pointer, store
from bendtorch.kernels.compile import JIT, helper, kernel

LINE: Final = 64
JOBS, DONE, CALL, BUSY, SLEEP, CONTROL, MUTEX, CONDITION = (2 * LINE * i for i in range(8))
FAILED: Final = DONE + 8
ARGUMENTS: Final = CALL + 8
TURN: Final = CALL + 16
HELPERS: Final = CONTROL + 8
SHARES: Final = 16 * LINE
MIRROR: Final = 8  # beside a share
MOST_THREADS: Final = 256
SIZE: Final = SHARES + MOST_THREADS * LINE
SPIN: Final = 50_000  # one to three milliseconds: longer than the Python between two kernels of a step
PATIENCE: Final = 100  # some microseconds; then others may have the processor
POSIX: Final = os.name == "posix"

_state: Final = np.zeros((SIZE + LINE) // 8, np.int64)
_base: Final = -(-_state.ctypes.data // LINE) * LINE
_threads: list[threading.Thread] = []

llvm.add_symbol("bendtorch_pool", _base)

if JIT:
    _lock = types.ExternalFunction("pthread_mutex_lock", types.int32(types.voidptr))
    _unlock = types.ExternalFunction("pthread_mutex_unlock", types.int32(types.voidptr))
    _wait = types.ExternalFunction("pthread_cond_wait", types.int32(types.voidptr, types.voidptr))
    _wake = types.ExternalFunction("pthread_cond_broadcast", types.int32(types.voidptr))
    _yield = types.ExternalFunction("sched_yield", types.int32())


@intrinsic
def _pool(typing: Any) -> Any:
    """The address of the state, by its symbol: compiled code is kept across processes, addresses are not."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(context.get_c_value(builder, I64, "bendtorch_pool"), I64)

    return types.int64(), generate


@helper
def _take_share(state: int, owner: int) -> None:
    """Claim and run the chunks dealt to a thread until none is left."""
    share = state + SHARES + LINE * owner
    while True:
        word: int = load(share)
        if (word & 0xFFFFFFFF) >= (word >> 32):
            return
        word = fetch_add(share, 1)
        place = word & 0xFFFFFFFF
        if place < (word >> 32):  # then the job is alive: nobody replaces it before this chunk is done
            chunk = abs(load(share + MIRROR) - place)
            if call_chunk(load(state + CALL), load(state + ARGUMENTS), chunk) != 0:
                store(state + FAILED, 1)
            fetch_add(state + DONE, 1)


@helper
def _take_all(state: int, number: int, threads: int) -> None:
    """Run one's own share, then what is left of the others'."""
    for other in range(threads):
        _take_share(state, (number + other) % threads)


@helper
def _sleep(state: int, seen: int) -> None:
    """Sleep until there is another job. The number of sleepers goes up before the last look: no wake-up is missed.

    A worker that wakes too late for a short job does not sleep again at once: more jobs are likely to follow.
    """
    _lock(pointer(state + MUTEX))
    fetch_add(state + SLEEP, 1)
    if load(state + JOBS) == seen and load(state + CONTROL) == 0:
        _wait(pointer(state + CONDITION), pointer(state + MUTEX))
    fetch_add(state + SLEEP, -1)
    _unlock(pointer(state + MUTEX))


@helper
def _rest(idle: int) -> None:
    """Wait a moment; a thread that has waited longer lets others have its processor."""
    pause()
    if idle > PATIENCE:
        _yield()


@kernel
def _work(number: int) -> None:
    """A worker's life; its number is at least 1, the caller's is 0."""
    state = _pool()
    seen, idle = 0, 0
    while load(state + CONTROL) == 0:
        jobs = load(state + JOBS)
        helpers = load(state + HELPERS)
        if jobs != seen and number <= helpers:
            _take_all(state, number, helpers + 1)
            idle = 0
        seen = jobs
        idle += 1
        _rest(idle)
        if idle > SPIN:
            _sleep(state, seen)
            idle = 0


@helper
def _mirror(state: int, first: int, end: int) -> int:
    """What a place is subtracted from for its chunk, up to the sign: 0 in a turn from the first to the last."""
    return first + end - 1 if load(state + TURN) & 1 else 0


@helper
def _publish(state: int, function: int, arguments: int, chunks: int, threads: int) -> None:
    """Deal out a job, and wake who sleeps."""
    store(state + DONE, 0)
    store(state + FAILED, 0)
    store(state + CALL, function)
    store(state + ARGUMENTS, arguments)
    for owner in range(threads):
        share, first, end = state + SHARES + LINE * owner, owner * chunks // threads, (owner + 1) * chunks // threads
        store(share + MIRROR, _mirror(state, first, end))
        store(share, end << 32 | first)
    fetch_add(state + JOBS, 1)
    if load(state + SLEEP) > 0:
        _lock(pointer(state + MUTEX))
        _wake(pointer(state + CONDITION))
        _unlock(pointer(state + MUTEX))


@helper
def _run_alone(state: int, function: int, arguments: int, chunks: int) -> int:
    failed, mirror = 0, _mirror(state, 0, chunks)
    for place in range(chunks):
        failed |= call_chunk(function, arguments, abs(mirror - place))
    return failed


@helper
def run_chunks(function: int, arguments: int, chunks: int) -> int:
    """Run a job: by all workers, or by the caller alone when there are none or they are busy; 1 when a chunk failed.

    It is a turn where some thread has more than a chunk.
    """
    state = _pool()
    threads = load(state + HELPERS) + 1
    if chunks > max(threads, 2):
        fetch_add(state + TURN, 1)
    if chunks < 2 or threads < 2 or exchange(state + BUSY, 1) != 0:
        return _run_alone(state, function, arguments, chunks)
    _publish(state, function, arguments, chunks, threads)
    _take_all(state, 0, threads)
    waited = 0
    while load(state + DONE) < chunks:
        waited += 1
        _rest(waited)
    failed: int = load(state + FAILED)
    store(state + BUSY, 0)
    return failed


def wanted_threads() -> int:
    """How many threads to use: `BENDTORCH_NUM_THREADS`, else `OMP_NUM_THREADS`, else the processors given to us.

    Raises `ConfigError` when `BENDTORCH_NUM_THREADS` is not a positive number.
    """

    def number(text: str) -> int:
        return int(text) if text.isdecimal() and len(text) < 10 else 0  # `isdigit` holds for ² too

    own = os.environ.get("BENDTORCH_NUM_THREADS", "").strip()
    if own and number(own) < 1:
        raise ConfigError(f"BENDTORCH_NUM_THREADS must be a number of at least 1, got {own!r}")
    other = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    wanted = number(own) or number(other)
    if wanted:
        return wanted
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start() -> None:
    """Start the workers, once; whoever builds a layer calls this. Kernels run without them too, with the same bits."""
    if not _threads and JIT and POSIX:
        set_threads(min(wanted_threads(), MOST_THREADS))


def get_threads() -> int:
    """How many threads a kernel may use now, the caller among them."""
    return 1 + _cell(HELPERS)


def set_threads(count: int) -> None:
    """Let kernels use `count` threads from now on. Results have the same bits whatever the count.

    Raises `ConfigError` for less than one, or more than the pool has room for.
    """
    if not 1 <= count <= MOST_THREADS:
        raise ConfigError(f"set_threads: from 1 to {MOST_THREADS} threads can be used, got {count}")
    if not JIT or not POSIX:
        return
    if count - 1 > len(_threads):
        _compile_worker()
    while len(_threads) < count - 1:
        number = len(_threads) + 1
        thread = threading.Thread(target=_work, args=(number,), name=f"bendtorch-{number}", daemon=True)
        _threads.append(thread)
        thread.start()
    _set_cell(HELPERS, count - 1)


def _compile_worker() -> None:
    """Compile (or load) the workers' loop here, so that threads do not meet in the compiler."""
    _work.compile((types.int64,))  # type: ignore[attr-defined]


def _cell(offset: int) -> int:
    return ctypes.c_int64.from_address(_base + offset).value


def _set_cell(offset: int, value: int) -> None:
    ctypes.c_int64.from_address(_base + offset).value = value


def _reset() -> None:
    """A fresh state: at the start, and in a forked child, which has none of its parent's threads."""
    ctypes.memset(_base, 0, SIZE)
    if POSIX:
        libc = ctypes.CDLL(None)
        libc.pthread_mutex_init(ctypes.c_void_p(_base + MUTEX), None)
        libc.pthread_cond_init(ctypes.c_void_p(_base + CONDITION), None)


def _after_fork() -> None:
    """In a forked child: workers of its own, as many as the parent had."""
    count = get_threads()
    started = bool(_threads)
    _threads.clear()
    _reset()
    if started:
        set_threads(count)


def _stop() -> None:
    """At exit: end the workers before the code they run is unloaded."""
    _set_cell(CONTROL, 1)
    libc = ctypes.CDLL(None) if POSIX else None
    while any(thread.is_alive() for thread in _threads):
        if libc is not None:
            libc.pthread_cond_broadcast(ctypes.c_void_p(_base + CONDITION))
        for thread in _threads:
            thread.join(timeout=0.01)


_reset()
atexit.register(_stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
