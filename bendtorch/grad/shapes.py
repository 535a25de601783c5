"""Values in other shapes: reshape, transpose, permute, slice, concat. Numbers are copied when they are needed.

Each is linear, and its adjoint is the same kind of operation: a slice's puts its part among zeros.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.grad.arrays import new_array
from bendtorch.grad.guards import guard_axis, guard_shape
from bendtorch.grad.lazy import Lazy, constant, deferred, known
from bendtorch.grad.rule import Linear, Rule
from bendtorch.grad.tape import guard_list, guard_vars
from bendtorch.grad.var import Array, Var
from bendtorch.kernels import indexing


@dataclass(frozen=True, slots=True)
class Transpose(Linear):
    """The last two axes swapped; the copy is made when it is needed."""

    name = "transpose"

    def value(self, *xs: Lazy) -> Lazy:
        """The transposed array, later."""
        shape = xs[0].shape
        return deferred((*shape[:-2], shape[-1], shape[-2]), _transposed, xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Transposed back."""
        return d.graph.record1(TRANSPOSE, d)


TRANSPOSE: Final = Transpose()


def _transposed(x: Array) -> Array:
    out = new_array((*x.shape[:-2], x.shape[-1], x.shape[-2]))
    if x.size:
        for source, target in zip(x.reshape(-1, *x.shape[-2:]), out.reshape(-1, *out.shape[-2:]), strict=True):
            indexing.transpose(source, target)
    return out


@dataclass(frozen=True, slots=True)
class Reshape(Linear):
    """The same numbers in another shape."""

    shape: tuple[int, ...]
    name = "reshape"

    def value(self, *xs: Lazy) -> Lazy:
        """A view."""
        return reshaped(xs[0], self.shape)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Back in the input's shape."""
        return d.graph.record1(Reshape(xs[0].shape), d)


def reshaped(x: Lazy, shape: tuple[int, ...]) -> Lazy:
    """A view of a value; a view of what an expression will be."""
    if x.value is not None:
        return known(x.value.reshape(shape))
    return deferred(shape, lambda array: array.reshape(shape), x)


@dataclass(frozen=True, slots=True)
class Permute(Linear):
    """The axes in another order."""

    axes: tuple[int, ...]
    name = "permute"

    def value(self, *xs: Lazy) -> Lazy:
        """A copy in the new order, later."""
        shape = tuple(xs[0].shape[axis] for axis in self.axes)
        return deferred(shape, lambda x: _copied(x.transpose(self.axes)), xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Back in the old order."""
        back = sorted(range(len(self.axes)), key=self.axes.__getitem__)
        return d.graph.record(Permute(tuple(back)), d)


@dataclass(frozen=True, slots=True)
class Slice(Linear):
    """The elements from `start` up to, without, `stop` of an axis."""

    axis: int
    start: int
    stop: int
    name = "slice"

    def value(self, *xs: Lazy) -> Lazy:
        """A copy of the part, later."""
        place = (np.s_[:],) * self.axis + (np.s_[self.start : self.stop],)
        shape = (*xs[0].shape[: self.axis], self.stop - self.start, *xs[0].shape[self.axis + 1 :])
        return deferred(shape, lambda x: _copied(x[place]), xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """Zeros but for the part."""
        return d.graph.record(Embed(self.axis, self.start, xs[0].shape[self.axis]), d)


@dataclass(frozen=True, slots=True)
class Embed(Linear):
    """Zeros, `size` of them along an axis, but for the input from `start` on."""

    axis: int
    start: int
    size: int
    name = "embed"

    def value(self, *xs: Lazy) -> Lazy:
        """The larger array, later."""
        before, after = xs[0].shape[: self.axis], xs[0].shape[self.axis + 1 :]
        place = (np.s_[:],) * self.axis + (np.s_[self.start : self.start + xs[0].shape[self.axis]],)

        def embedded(x: Array) -> Array:
            out = new_array((*before, self.size, *after))
            out.fill(0)
            out[place] = x
            return out

        return deferred((*before, self.size, *after), embedded, xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The part."""
        return d.graph.record(Slice(self.axis, self.start, self.start + xs[0].shape[self.axis]), d)


@dataclass(frozen=True, slots=True)
class Concat(Rule):
    """Values one after another along an axis."""

    axis: int
    name = "concat"

    def value(self, *xs: Lazy) -> Lazy:
        """All of them in one array, later."""
        shape = list(xs[0].shape)
        shape[self.axis] = sum(x.shape[self.axis] for x in xs)

        def joined(*arrays: Array) -> Array:
            return np.concatenate(arrays, self.axis, out=new_array(tuple(shape)))

        return deferred(tuple(shape), joined, *xs)

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The part of input i."""
        start = sum(x.shape[self.axis] for x in xs[:i])
        return d.graph.record(Slice(self.axis, start, start + xs[i].shape[self.axis]), d)

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The tangents one after another."""
        tape = out.graph
        return tape.record(
            self, *[tape.hold(constant(0.0, x.shape)) if d is None else d for d, x in zip(ds, xs, strict=True)]
        )


def _copied(view: Array) -> Array:
    out = new_array(view.shape)
    np.copyto(out, view)
    return out


def reshape(x: Var, shape: Sequence[int]) -> Var:
    """x with another shape of as many elements. A size is said for every axis: none is worked out."""
    guard_vars("reshape", x)
    sizes = guard_shape(shape, "reshape")
    if math.prod(sizes) != x.lazy.size:
        raise ShapeError(
            f"reshape: the shape {list(x.shape)} has {x.lazy.size} elements, {list(sizes)} has {math.prod(sizes)}"
        )
    return x if sizes == x.shape else x.graph.record1(Reshape(sizes), x)


def transpose(x: Var) -> Var:
    """x with its last two axes swapped."""
    guard_vars("transpose", x)
    if x.ndim < 2:
        raise ShapeError(f"transpose: x must have at least two axes, got the shape {list(x.shape)}")
    return x.graph.record1(TRANSPOSE, x)


def permute(x: Var, axes: Sequence[int]) -> Var:
    """The axes reordered: output axis i is input axis axes[i], as PyTorch's `x.permute(axes)`."""
    guard_vars("permute", x)
    if not isinstance(axes, Iterable):
        raise DtypeError(f"permute: axes must be a tuple of ints, one for each axis of x, got {axes!r}")
    axes = tuple(axes)
    order = tuple(guard_axis(axis, x.ndim, "permute") for axis in axes)
    if sorted(order) != list(range(x.ndim)):
        raise ShapeError(f"permute: axes must name each of {x.ndim} axes once, got {list(axes)}")
    return x.graph.record(Permute(order), x)


def slice(x: Var, axis: int, start: int, stop: int) -> Var:  # noqa: A001  the field's name
    """The elements from `start` up to, without, `stop` of an axis.

    Raises `ShapeError` unless 0 <= start <= stop <= the axis's size: bounds count from the start and are not cut off.
    """
    guard_vars("slice", x)
    place = guard_axis(axis, x.ndim, "slice")
    for name, bound in (("start", start), ("stop", stop)):
        if isinstance(bound, bool) or not isinstance(bound, (int, np.integer)):
            raise DtypeError(f"slice: {name} must be an int, got {bound!r}")
    if not 0 <= start <= stop <= x.shape[place]:
        raise ShapeError(
            f"slice: expected 0 <= start <= stop <= {x.shape[place]} for axis {axis} of the shape {list(x.shape)},"
            f" got {start} and {stop}"
        )
    return x.graph.record(Slice(place, int(start), int(stop)), x)


def concat(xs: Iterable[Var], axis: int) -> Var:
    """The values joined along an axis: PyTorch's `torch.cat(xs, axis)`.

    Raises `ShapeError` for none, and where other sizes than those along the axis differ.
    """
    xs = guard_list("concat", "xs", xs)
    if not xs:
        raise ShapeError("concat: expected at least one value")
    place = guard_axis(axis, xs[0].ndim, "concat")
    first = xs[0].shape
    for x in xs:
        if x.ndim != len(first) or x.shape[:place] + x.shape[place + 1 :] != first[:place] + first[place + 1 :]:
            raise ShapeError(
                f"concat: values joined along axis {axis} must agree in every other size, got the shapes {list(first)}"
                f" and {list(x.shape)}"
            )
    return xs[0].graph.record(Concat(place), *xs)
