"""One optimizer step over a matrix or a flat buffer, in place; the gradient comes back zeroed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.kernels import optimizer as kernels
from bendtorch.optim.at import AdamAt, GroupedAt, MomentumAt, OneOpt, Opt, SGDAt
from bendtorch.optim.state import NoMoments, OneMoment, OptState, PackedMoments, TwoMoments, map_state
from bendtorch.shapes.arrays import FlatF32
from bendtorch.shapes.guard import F32

AnyMat: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]
AnyArray: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Spans: TypeAlias = tuple[tuple[int, int, int], ...]
"""Stretches of a flat buffer: from, to, and which of an optimizer's groups they are stepped with."""

U16: Final = np.dtype(np.uint16)


def step_matrix(opt: OneOpt, w: AnyMat, g: AnyMat, state: OptState[AnyMat]) -> None:
    """One step of one matrix. Raises `ShapeError` when an array does not fit, `ConfigError` for another's state."""
    _check(w, g, state)
    flat_state: OptState[FlatF32] = map_state(state, lambda m: m.reshape(-1))
    _prepared((opt,), w.reshape(-1), g.reshape(-1), flat_state, ((0, w.size, 0),))(opt)


def step_flat(opt: Opt, w: FlatF32, g: FlatF32, state: OptState[FlatF32], spans: Spans | None = None) -> None:
    """One step of the `spans` of a flat buffer, by default of all of it, in one kernel.

    Weights, gradient and moments are contiguous arrays of one length. Raises `ShapeError` when they are not, and
    `ConfigError` when the state was made for another optimizer.
    """
    steps_of(opt, w, g, state, spans)(opt)


def steps_of(
    opt: Opt, w: FlatF32, g: FlatF32, state: OptState[FlatF32], spans: Spans | None = None
) -> Callable[[Opt], None]:
    """`step_flat` for one step after another of these buffers, which are checked here, once.

    Each takes the numbers of its step, which must be those of an optimizer of the kind of `opt`.
    """
    if w.ndim != 1:
        raise ShapeError(f"step: the weights must be a flat array, got one of shape {list(w.shape)}")
    _check(w, g, state)
    opts = _each(opt)
    spans = ((0, w.size, 0),) if spans is None else spans
    for low, high, k in spans:
        if not (0 <= low <= high <= w.size and 0 <= k < len(opts)):
            raise ShapeError(f"step: span {(low, high, k)} is outside of {w.size} numbers and {len(opts)} groups")
    return _prepared(opts, w, g, state, spans)


def _each(opt: Opt) -> Sequence[OneOpt]:
    """The numbers for each group of leaves."""
    return opt.opts if isinstance(opt, GroupedAt) else (opt,)


def _chunks(spans: Spans) -> kernels.Chunks:
    """The spans, cut into the chunks that kernels work on."""
    size = kernels.CHUNK
    rows = [(start, min(high, start + size), k) for low, high, k in spans for start in range(low, high, size)]
    return np.array(rows, np.int64).reshape(-1, 3)


def _prepared(
    opts: Sequence[OneOpt], w: FlatF32, g: FlatF32, state: OptState[FlatF32], spans: Spans
) -> Callable[[Opt], None]:
    """Steps of checked arrays."""
    kernel, moments = _kernel(opts, state)
    chunks = _chunks(spans)

    def step(opt: Opt) -> None:
        kernel(w, g, *moments, chunks, np.array([one.numbers for one in _each(opt)], np.float32))

    return step


def _kernel(opts: Sequence[OneOpt], state: OptState[FlatF32]) -> tuple[Callable[..., None], tuple[AnyArray, ...]]:
    """The kernel for an optimizer and its state, and the state's arrays."""
    kinds = {type(opt) for opt in opts}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is AdamAt and isinstance(state, TwoMoments):
        return kernels.adam, (state.m, state.v)
    if kind is AdamAt and isinstance(state, PackedMoments):
        return kernels.adam_packed if state.v.dtype == U16 else kernels.adam_packed_first, (state.m, state.v)
    if kind is MomentumAt and isinstance(state, OneMoment):
        return kernels.momentum, (state.m,)
    if kind is SGDAt and isinstance(state, NoMoments):
        return kernels.sgd, ()
    raise ConfigError(
        f"step: {', '.join(sorted(type(opt).__name__ for opt in opts))} was given a state of "
        f"{type(state).__name__}, made for another optimizer; start from new_state(optimizer, zeros)"
    )


def _check(w: AnyArray, g: AnyArray, state: OptState[Any]) -> None:
    """Refuse what a kernel could not read, or would read beyond its end: it runs over as many numbers as w has."""
    _require(w, w.shape, "the weights")
    _require(g, w.shape, "the gradient")
    if isinstance(state, PackedMoments):
        _require(state.m, (w.size,), "a packed moment", U16)
        _require(state.v, (w.size,), "a packed moment", U16 if state.v.dtype == U16 else F32)
    else:
        map_state(state, lambda moment: _require(moment, w.shape, "a moment"))


def _require(array: AnyArray, shape: tuple[int, ...], what: str, dtype: np.dtype[Any] = F32) -> None:
    if (array.dtype is not dtype and array.dtype != dtype) or array.shape != shape or not array.flags.carray:
        raise ShapeError(
            f"step: {what} must be {math.prod(shape)} writable {dtype} numbers in C order, "
            f"got {array.dtype} of shape {list(array.shape)}"
        )
