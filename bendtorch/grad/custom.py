"""custom: a value computed anywhere, with a backward pass of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.grad.guards import guard_array
from bendtorch.grad.lazy import Lazy, leaf
from bendtorch.grad.rule import Opaque
from bendtorch.grad.tape import array_of, guard_list, held, read_only
from bendtorch.grad.var import Array, Var

Backward: TypeAlias = Callable[[Array], Sequence[Array]]
"""From the gradient of the result to one gradient for each input, in the inputs' shapes."""


class Custom(Opaque):
    """A value and its vector-Jacobian product."""

    __slots__ = ("backward", "result")
    name = "custom"

    def __init__(self, result: Array, backward: Backward) -> None:
        self.result, self.backward = result, backward

    def value(self, *xs: Lazy) -> Lazy:
        """The value that was given."""
        return leaf(self.result)

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """What the backward pass gives, checked."""
        given: Any = self.backward(read_only(array_of(d)))
        if not isinstance(given, (tuple, list)) or len(given) != len(xs):
            count = len(given) if isinstance(given, (tuple, list)) else type(given).__name__
            raise ShapeError(f"custom: backward must give {len(xs)} gradients, one for each input, got {count}")
        pairs = enumerate(zip(given, xs, strict=True))
        return held(d, *(guard_array(g, "custom", f"gradient {i}", x.shape) for i, (g, x) in pairs))


def custom(inputs: Sequence[Var], result: Array, backward: Backward) -> Var:
    """An operation of one's own: `result`, computed from the values of `inputs`, and its vector-Jacobian product.

    `backward` maps the gradient of the result to a gradient for each input. There is no forward mode, and no derivative
    of the gradient: these raise `ConfigError`. Raises `DtypeError` when the result is not float32.
    """
    xs = guard_list("custom", "inputs", inputs)
    if not xs:
        raise ConfigError("custom: expected at least one input")
    if not callable(backward):
        raise ConfigError(f"custom: backward must be a function, got {backward!r}")
    return xs[0].graph.record(Custom(guard_array(result, "custom", "the result"), backward), *xs)
