"""Graph: the tape as users see it. It gives Vars, reads them, and differentiates.

    g = graph()
    x, w = g.input(a), g.input(b)
    loss = mean(square(x @ w - target))
    g.value(loss)                       # the number
    g.backward(loss).of(w)              # its gradient
    g.tangent([w], [direction], loss)   # its derivative along a direction

A Graph is cheap: make one for each step. It holds no Var: what no Var needs is freed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.grad.grads import Grads
from bendtorch.grad.guards import guard_array
from bendtorch.grad.lazy import Lazy, constant, known
from bendtorch.grad.precision import Float, set_autocast
from bendtorch.grad.tape import Tape, array_of, guard_list, guard_on, read_only
from bendtorch.grad.var import Array, Var
from bendtorch.grad.walk import pull, push


class Graph(Tape):
    """A tape of operations on float32 arrays; `graph()` makes an empty one."""

    __slots__ = ()

    def input(self, value: Array) -> Var:
        """A value that derivatives are taken against. The array is not copied: it must not change meanwhile.

        Raises `DtypeError` for anything but float32.
        """
        return self.hold(known(guard_array(value, "input", "the value")), active=True)

    def constant(self, value: Array | Lazy) -> Var:
        """A value that no derivative is taken against: data, labels, a gradient that is not computed yet.

        No gradient is computed for it, nor for what depends on constants alone; it reads as zeros.
        """
        return self.hold(value if isinstance(value, Lazy) else known(guard_array(value, "constant", "the value")))

    def autocast(self, kind: Float, emulate: bool = False) -> None:
        """Compute matrix products from now on in F16, BF16 or FP8, and again in float32 after F32.

        On the processor nothing changes unless it is emulated: see `precision`. Raises `ConfigError` for another type,
        or where emulating needs a package that is not there.
        """
        set_autocast(self, kind, emulate)

    def value(self, v: Var) -> Array:
        """The numbers of `v`, computed now where they are still an expression; an array that cannot be written to."""
        guard_on(self, "value", v)
        return read_only(array_of(v))

    def backward(self, loss: Var, keep: Sequence[Var] = ()) -> Grads:
        """The gradient of `loss`, a value of one element, with respect to every value before it.

        Gradients of inputs are kept, and of the values in `keep`. Raises `ShapeError` for another number of elements.
        """
        kept = guard_list("backward", "keep", keep)
        guard_on(self, "backward", loss, *kept)
        if loss.lazy.size != 1:
            raise ShapeError(
                f"backward: the loss must have one element, got the shape {list(loss.shape)};"
                " backward_from(output, ct) takes a gradient of that shape"
            )
        return Grads(loss, constant(1.0, loss.shape), kept)

    def backward_from(self, output: Var, ct: Array, keep: Sequence[Var] = ()) -> Grads:
        """The vector-Jacobian product: the gradients of everything before `output`, whose own gradient is `ct`."""
        kept = guard_list("backward_from", "keep", keep)
        guard_on(self, "backward_from", output, *kept)
        return Grads(output, known(guard_array(ct, "backward_from", "ct", output.shape)), kept)

    def tangent(self, inputs: Sequence[Var], directions: Sequence[Array], output: Var) -> Array:
        """The Jacobian-vector product: the derivative of `output` along a direction for each of `inputs`.

        Other inputs are held fixed; so is what an input of these was computed from. Along a constant, and what depends
        on constants alone, it is zeros, as their gradient is. Raises `ShapeError` for a direction of another shape than
        its input, `ConfigError` where an operation has no forward mode.
        """
        moving = guard_list("tangent", "inputs", inputs)
        guard_on(self, "tangent", output, *moving)
        if isinstance(directions, np.ndarray) or not isinstance(directions, Sequence):
            kind = type(directions).__name__
            raise DtypeError(f"tangent: directions must be a list of arrays, got {kind}; for one array d it is [d]")
        if len(moving) != len(directions):
            raise ShapeError(f"tangent: {len(moving)} inputs, but {len(directions)} directions")
        silent = Tape(records=False, like=self)
        along: dict[int, Var] = {}
        for i, (x, direction) in enumerate(zip(moving, directions, strict=True)):
            d = silent.hold(known(guard_array(direction, "tangent", f"directions[{i}]", x.shape)))
            if x.active:  # along a constant nothing moves
                along[x.id] = along[x.id] + d if x.id in along else d
        moved = push(output, along, silent)
        return read_only(np.zeros(output.shape, np.float32) if moved is None else array_of(moved))

    def gradients(self, output: Var, inputs: Sequence[Var], ct: Var | None = None) -> tuple[Var, ...]:
        """The gradients of `output` with respect to `inputs`, on the tape: they can be differentiated again.

        `ct` is the gradient of the output, a Var of its shape; without one the output must have one element. A
        Hessian-vector product is `g.tangent([x], [v], g.gradients(loss, [x])[0])`.

        Raises `ConfigError` where the gradient of an operation cannot be differentiated (`custom`, `record`).
        """
        wanted = guard_list("gradients", "inputs", inputs)
        guard_on(self, "gradients", output, *wanted, *(() if ct is None else (ct,)))
        if ct is None and output.lazy.size != 1:
            raise ShapeError(f"gradients: an output of the shape {list(output.shape)} needs ct, its own gradient")
        if ct is not None and ct.shape != output.shape:
            raise ShapeError(f"gradients: ct must have the shape {list(output.shape)}, got {list(ct.shape)}")
        seed = self.hold(constant(1.0, output.shape)) if ct is None else ct
        first = min((x.id for x in wanted), default=0)
        found = pull(output, seed, first, [x.id for x in wanted]) if output.active else {}
        zeros = (self.hold(constant(0.0, x.shape)) for x in wanted)
        return tuple(found.get(x.id, zero) if x.active else zero for x, zero in zip(wanted, zeros, strict=True))


def graph() -> Graph:
    """An empty graph that computes in float32."""
    return Graph()
