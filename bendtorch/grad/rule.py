"""What an operation of the tape is: its value, and how derivatives pass through it backward and forward.

An operation is an instance of a `Rule`: a constant where it has no options (`MUL`), made for the call where it has some
(`Slice(axis, start, stop)`). Its derivatives are written with the operations of the tape themselves, on Vars:

    MUL = Elementwise("mul", Op.MUL, (lambda d, x, y, z: d * y, lambda d, x, y, z: d * x))

Where the tape records them, they can be differentiated again; in an ordinary backward pass they are only computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from bendtorch.errors import ConfigError
from bendtorch.grad.lazy import Lazy, Op, apply

if TYPE_CHECKING:
    from bendtorch.grad.var import Var

Slope: TypeAlias = "Callable[..., Var] | None"
"""`slope(d, *inputs, output)`: d times the derivative by one input; None where that is zero everywhere."""


class Rule:
    """An operation: its name, and its three functions.

    - `value(*xs)`: the result, from the inputs' expressions.
    - `cotangents(d, out, *xs)`: for each input the gradient that `d`, the gradient of the result, gives it; None where
      there is none. An input that is not `active` needs none.
    - `tangent(ds, out, *xs)`: the derivative of the result along `ds`, one for each input or None.

    A cotangent may have the shape of the result instead of its input's: it is then summed to that; a tangent is
    broadcast.
    """

    __slots__ = ()
    name: str = ""

    def value(self, *xs: Lazy) -> Lazy:
        """The result."""
        raise NotImplementedError

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """What `d` gives input number i."""
        raise NotImplementedError

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """What `d` gives each input."""
        return [self.cotangent(i, d, out, *xs) if x.active else None for i, x in enumerate(xs)]

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The derivative of the result along `ds`."""
        raise NotImplementedError


class Elementwise(Rule):
    """An operation number by number. Its Jacobian is diagonal, so one slope an input serves both directions."""

    __slots__ = ("name", "op", "slopes")

    def __init__(self, name: str, op: Op, slopes: Sequence[Slope]) -> None:
        self.name, self.op, self.slopes = name, op, tuple(slopes)

    def value(self, *xs: Lazy) -> Lazy:
        """An expression, computed when it is needed."""
        return apply(self.op, *xs)

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """The slope of each input."""
        slopes = zip(self.slopes, xs, strict=True)
        return [slope(d, *xs, out) if slope is not None and x.active else None for slope, x in slopes]

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The sum of the slopes."""
        parts = [
            slope(d, *xs, out) for d, slope in zip(ds, self.slopes, strict=True) if d is not None and slope is not None
        ]
        return _total(parts)


class Linear(Rule):
    """An operation that is linear in its one input: the tangent of its result is its value at the tangent."""

    __slots__ = ()

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The operation itself."""
        d = ds[0]
        return None if d is None else d.graph.record1(self, d)


class Bilinear(Rule):
    """An operation that is linear in each of its two inputs."""

    __slots__ = ()

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """The operation of either input with the other's tangent."""
        (x, y), (dx, dy) = xs, ds
        left = None if dx is None else dx.graph.record2(self, dx, y)
        right = None if dy is None else dy.graph.record2(self, x, dy)
        return _total([part for part in (left, right) if part is not None])


class Fused(Rule):
    """An operation with kernels of its own for its value and its backward pass.

    `definition(*xs)` says the same in other operations; forward mode, and derivatives of derivatives, go through it.
    """

    __slots__ = ()

    def definition(self, *xs: Var) -> Var:
        """The result in other operations of the tape."""
        raise NotImplementedError


class Opaque(Rule):
    """An operation with a value and a backward pass, and nothing else."""

    __slots__ = ()

    def tangent(self, ds: Sequence[Var | None], out: Var, *xs: Var) -> Var | None:
        """Not known."""
        raise self.refusal()

    def refusal(self) -> ConfigError:
        """What it says where it would be differentiated in another way."""
        return ConfigError(
            f"{self.name}: it has a value and a backward pass only, so its derivative in forward mode, and those of its"
            " gradient, are not known"
        )


def _total(parts: Sequence[Var]) -> Var | None:
    """The sum; None of nothing."""
    if not parts:
        return None
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
