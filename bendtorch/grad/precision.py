"""Autocast: matrix products in a narrower type than float32.

    graph.autocast(BF16, emulate=True)

From then on `matmul`, `batch_matmul` and `conv2d` round their operands to the type, add in float32, and round what they
give to the type; backward alike. Operations number by number on a product keep its type while every other operand has
that type or one element. Everything else gives float32. On the processor this is no faster: without `emulate`, and with
F32, nothing changes. Emulated, it shows what training in that type does.

F16 and BF16 have exponents of 5 and 8 bits. FP8 (e4m3) has 4, so its operands are scaled to its range first, by one
factor for each array, and the products are float32.
"""

from __future__ import annotations

import enum
import importlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.grad.lazy import Lazy, deferred
from bendtorch.grad.rule import Elementwise, Linear, Rule
from bendtorch.grad.tape import Tape
from bendtorch.grad.var import Array, Var


class Float(enum.Enum):
    """A type that products are computed in."""

    F32 = "float32"
    F16 = "float16"
    BF16 = "bfloat16"
    FP8 = "float8_e4m3fn"


F32: Final = Float.F32
F16: Final = Float.F16
BF16: Final = Float.BF16
FP8: Final = Float.FP8
LARGEST_FP8: Final = 448.0


class LowVar(Var):
    """A Var whose numbers are all of a narrower type."""

    __slots__ = ("precision",)

    def on(self, tape: Tape) -> Var:
        """As a Var's, and of the same type."""
        return _low(super().on(tape), self.precision)


@dataclass(frozen=True, slots=True)
class Cast(Linear):
    """Numbers rounded to a type, and their gradient rounded to a type; not at all where that is None."""

    forward: Float | None
    backward: Float | None
    name = "cast"

    def value(self, *xs: Lazy) -> Lazy:
        """The rounded numbers, later."""
        kind = self.forward
        return xs[0] if kind is None else deferred(xs[0].shape, lambda x: rounded(x, kind), xs[0])

    def cotangent(self, i: int, d: Var, out: Var, *xs: Var) -> Var | None:
        """The gradient as it passes through the narrower type."""
        return d if self.backward is None else d.graph.record1(Cast(self.backward, self.forward), d)


@dataclass(frozen=True, slots=True)
class Precision:
    """How a tape computes products."""

    kind: Float

    def product(self, rule: Rule, x: Var, y: Var, *others: Var) -> Var:
        """A product of two factors, rounded to the type."""
        tape, kind = x.graph, self.kind
        kept = None if kind is FP8 else kind
        operand = Cast(kind, kept)
        result = tape.record(rule, tape.record1(operand, x), tape.record1(operand, y), *others)
        return tape.record1(Cast(kept, kind), result)


def rounded(x: Array, kind: Float) -> Array:
    """Numbers rounded to a type, to nearest even, and back; those of FP8 on a scale that its range fits."""
    if kind is F16:
        with np.errstate(over="ignore"):
            return x.astype(np.float16).astype(np.float32)
    dtype = getattr(_types(kind), kind.value)
    if kind is BF16:
        back: Array = x.astype(dtype).astype(np.float32)
        return back
    top = float(np.max(np.abs(x), initial=0.0))
    scale = LARGEST_FP8 / top if 0 < top < np.inf else 1.0  # in float64, which it never overflows
    scaled = (x * np.float64(scale)).astype(np.float32)
    return (scaled.astype(dtype).astype(np.float64) / scale).astype(np.float32)


def _types(kind: Float) -> Any:
    try:
        return importlib.import_module("ml_dtypes")  # a package that only emulation needs
    except ImportError as error:
        raise ConfigError(
            f"autocast: emulating {kind.name} needs the package ml_dtypes; install it with: pip install ml_dtypes"
        ) from error


def keep_precision(result: Var, rule: Rule, xs: tuple[Var, ...]) -> Var:
    """The result as a value of the type that its operation gives it."""
    if isinstance(rule, Cast):
        return result if rule.forward in (None, FP8) else _low(result, rule.forward)
    if not isinstance(rule, Elementwise):
        return result
    kinds = {x.precision for x in xs if x.lazy.size != 1 or x.precision is not None}
    if len(kinds) != 1 or None in kinds:
        return result
    kind = kinds.pop()
    return result.graph.record1(Cast(kind, kind), result)


def _low(result: Var, kind: Any) -> Var:
    low = LowVar(result.graph, result.lazy, result.active, result.id, result.rule, result.inputs)
    low.precision = kind
    return low


def set_autocast(tape: Tape, kind: Float, emulate: bool) -> None:
    """What `Graph.autocast` does."""
    if not isinstance(kind, Float):
        raise ConfigError(f"autocast: expected F32, F16, BF16 or FP8, got {kind!r}")
    if not isinstance(emulate, bool):
        raise ConfigError(f"autocast: emulate must be True or False, got {emulate!r}")
    if kind in (BF16, FP8) and emulate:
        _types(kind)
    tape.precision = Precision(kind) if emulate and kind is not F32 else None
    if tape.precision is not None and keep_precision not in tape.watchers:
        tape.watchers = (keep_precision, *tape.watchers)
