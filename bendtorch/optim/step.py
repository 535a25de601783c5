"""One optimizer step over a matrix or a flat buffer, in place; the gradient comes back zeroed."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.kernels import optimizer as kernels
from bendtorch.optim.config import AdamAt, MomentumAt, Opt, SGDAt
from bendtorch.optim.state import NoMoments, OneMoment, OptState, TwoMoments, map_state
from bendtorch.shapes.arrays import FlatF32
from bendtorch.shapes.guard import F32

AnyMat: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]
AnyF32: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]


def step_matrix(opt: Opt, w: AnyMat, g: AnyMat, state: OptState[AnyMat]) -> None:
    """One step of one matrix. Raises `ShapeError` when an array does not fit, `ConfigError` for another's state."""
    _check(w, g, state)
    _step(opt, w.reshape(-1), g.reshape(-1), map_state(state, lambda m: m.reshape(-1)))


def step_flat(opt: Opt, w: FlatF32, g: FlatF32, state: OptState[FlatF32]) -> None:
    """One step of a flat buffer: weights, gradient and moments are contiguous float32 arrays of one length.

    Raises `ShapeError` when they are not, and `ConfigError` when the state was made for another optimizer.
    """
    if w.ndim != 1:
        raise ShapeError(f"step: the weights must be a flat array, got one of shape {list(w.shape)}")
    _check(w, g, state)
    _step(opt, w, g, state)


def _step(opt: Opt, w: FlatF32, g: FlatF32, state: OptState[FlatF32]) -> None:
    """The kernel for an optimizer and its state, on checked arrays."""
    if isinstance(opt, AdamAt) and isinstance(state, TwoMoments):
        kernels.adam(w, g, state.m, state.v, *_numbers(opt))
    elif isinstance(opt, MomentumAt) and isinstance(state, OneMoment):
        kernels.momentum(w, g, state.m, np.float32(opt.lr), np.float32(opt.momentum))
    elif isinstance(opt, SGDAt) and isinstance(state, NoMoments):
        kernels.sgd(w, g, np.float32(opt.lr))
    else:
        raise ConfigError(
            f"step: {type(opt).__name__} was given a state of {type(state).__name__}, made for another optimizer; "
            "start from new_state(optimizer, zeros)"
        )


def _numbers(opt: AdamAt) -> tuple[float, float, float, float, bool, float, float, float, float]:
    """Adam's numbers in the kernel's order."""
    first = (opt.lr, opt.beta2, opt.eps, opt.weight_decay, opt.decoupled)
    return (*first, opt.step_size, opt.denominator, opt.one_minus_beta1, opt.one_minus_beta2)


def _check(w: AnyF32, g: AnyF32, state: OptState[AnyF32]) -> None:
    """Refuse what a kernel could not read, or would read beyond its end: it runs over as many numbers as w has."""
    _require(w, w.shape, "the weights")
    _require(g, w.shape, "the gradient")
    map_state(state, lambda moment: _require(moment, w.shape, "a moment"))


def _require(array: AnyF32, shape: tuple[int, ...], what: str) -> None:
    if (array.dtype is not F32 and array.dtype != F32) or array.shape != shape or not array.flags.carray:
        raise ShapeError(
            f"step: {what} must be {math.prod(shape)} writable float32 numbers in C order, "
            f"got {array.dtype} of shape {list(array.shape)}"
        )
