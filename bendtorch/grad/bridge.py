"""Between layers and the tape.

    block = record(layer, graph, p)     # a hand-written layer on a tape: block.params are Vars
    y = block(x)
    g = block.gradient(graph.backward(loss))        # typed as the parameters, as `bwd` would give it

    layer = layer_of(f, n, i, o, params)            # a layer from a function on Vars: its backward pass is the tape

Both use the kernels of the layers. A layer's backward pass is a value and no operations, so what is recorded from a
layer has no forward mode, and its gradient no derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from bendtorch.errors import ConfigError, DtypeError
from bendtorch.grad.arrays import new_array
from bendtorch.grad.grads import Grads
from bendtorch.grad.graph import Graph, graph
from bendtorch.grad.lazy import Lazy, force, leaf
from bendtorch.grad.rule import Opaque
from bendtorch.grad.shapes import reshape
from bendtorch.grad.shapes import slice as part
from bendtorch.grad.tape import array_of, guard_vars
from bendtorch.grad.var import Array, Var
from bendtorch.layer import Bwd, Fwd, Info, Layer, Params, make_layer
from bendtorch.shapes.arguments import expect, expect_function
from bendtorch.shapes.arrays import Mat
from bendtorch.shapes.dims import Dim, I, N, O
from bendtorch.shapes.guard import guard_mat
from bendtorch.shapes.spec import check_sizes, mat_spec

P = TypeVar("P")


class Pass(Opaque):
    """A layer's passes as one operation on its parameters and its inputs. It keeps what the forward pass saves."""

    __slots__ = ("floats", "form", "layer", "p", "saved", "shapes", "x")
    name = "record"

    def __init__(self, layer: Layer[Any, Any, Any, Any], p: Any, x: Any, floats: int) -> None:
        self.layer, self.p, self.x, self.floats = layer, p, x, floats
        self.saved: Any = None
        self.form: Any = None
        self.shapes: list[tuple[int, ...]] = []

    def value(self, *xs: Lazy) -> Lazy:
        """The layer's output; several arrays are put into one, one after another."""
        arrays = force(*xs[len(xs) - self.floats :])
        done = self.layer.fwd(self.p, _filled(self.x, iter(arrays)))
        self.saved, self.form = done.s, done.y
        outputs = list(_arrays(done.y))
        self.shapes = [y.shape for y in outputs]
        if len(outputs) == 1:
            return leaf(outputs[0])
        return leaf(np.concatenate([np.zeros(0, np.float32), *(y.reshape(-1) for y in outputs)]))

    def cotangents(self, d: Var, out: Var, *xs: Var) -> Sequence[Var | None]:
        """The layer's backward pass, into a gradient of zeros."""
        parts, start = [], 0
        flat = array_of(d).reshape(-1)
        for shape in self.shapes:
            size = int(np.prod(shape))
            parts.append(flat[start : start + size].reshape(shape))
            start += size
        back = self.layer.bwd(self.p, self.saved, _filled(self.form, iter(parts)), self.layer.zeros())
        gradients = [*_matrices(self.layer, back.g), *_arrays(back.dx)]
        return [d.graph.hold(leaf(g)) for g in gradients if g.dtype == np.float32]


class Recorded(Generic[P]):
    """A layer on a tape, with its parameters as Vars: `params` has one for each leaf, in the order of `dump`.

    Called with a Var, or a tuple of Vars as the layer takes them (ids and places stay arrays), it gives the output in
    the same way. It may be called more than once: its gradients add up.
    """

    def __init__(self, layer: Layer[P, Any, Any, Any], tape: Graph, p: P) -> None:
        self.layer, self.tape, self.p = layer, tape, p
        matrices = _matrices(layer, p)
        self._is_weight = [matrix.dtype == np.float32 for matrix in matrices]
        self.params = tuple(tape.input(m) for m, is_weight in zip(matrices, self._is_weight, strict=True) if is_weight)

    def __call__(self, x: Any) -> Any:
        """The layer's output."""
        inputs = list(_vars(x))
        guard_vars("record", *inputs)
        pass_ = Pass(self.layer, self.p, x, len(inputs))
        y = self.tape.record(pass_, *self.params, *inputs)
        if len(pass_.shapes) == 1:
            return y
        starts = np.cumsum([0, *(int(np.prod(shape)) for shape in pass_.shapes)]).tolist()
        parts = [
            reshape(part(y, 0, low, high), shape)
            for low, high, shape in zip(starts[:-1], starts[1:], pass_.shapes, strict=True)
        ]
        return _filled(pass_.form, iter(parts))

    def gradient(self, grads: Grads) -> P:
        """The gradient of the parameters, of their own type."""
        g = self.layer.zeros()
        weights = iter(self.params)
        for target, is_weight in zip(_matrices(self.layer, g), self._is_weight, strict=True):
            if is_weight:
                target[...] = grads.of(next(weights))
        return g


def record(layer: Layer[P, Any, Any, Any], tape: Graph, p: P) -> Recorded[P]:
    """A hand-written layer on a tape, with parameters p, whose arrays are not copied: they must not change meanwhile.

    Raises `ConfigError` for a layer whose parameters are not described by matrices, and for what is no graph.
    """
    if not isinstance(layer, Layer):
        raise ConfigError(f"record: expected a layer, got {type(layer).__name__}")
    expect("record", "tape", tape, Graph, "a graph, such as graph()")
    return Recorded(layer, tape, p)


def _matrices(layer: Layer[Any, Any, Any, Any], p: Any) -> list[Any]:
    if layer.matrices is None:
        raise ConfigError(f"record: {layer.info.brief} does not say which matrices its parameters are")
    return list(layer.matrices(p))


def _vars(x: Any) -> Iterator[Any]:
    """What is no array of ids in a nest of tuples."""
    if isinstance(x, tuple):
        for inner in x:
            yield from _vars(inner)
    elif not (isinstance(x, np.ndarray) and x.dtype.kind in "iu"):
        yield x


def _arrays(x: Any) -> Iterator[Any]:
    """The arrays in a nest of tuples."""
    if isinstance(x, tuple):
        for inner in x:
            yield from _arrays(inner)
    else:
        yield x


def _filled(form: Any, values: Iterator[Any]) -> Any:
    """A nest like `form` with other values; arrays of ids stay."""
    if isinstance(form, tuple):
        return tuple(_filled(inner, values) for inner in form)
    return form if isinstance(form, np.ndarray) and form.dtype.kind in "iu" else next(values)


class Past:
    """What a layer made from a function saves: the tape of its forward pass."""

    def __init__(self, tape: Graph, params: Sequence[Var], x: Var, y: Var) -> None:
        self.tape, self.params, self.x, self.y = tape, params, x, y


def layer_of(
    f: Callable[..., Var], n: Dim[N], i: Dim[I], o: Dim[O], params: Params[P], name: str = "layer_of"
) -> Layer[P, Mat[N, I], Mat[N, O], Past]:
    """A layer from a function on Vars: `f(x, *params)` takes n × i and gives n × o; its backward pass is the tape.

    `params` describes the parameters (`matrix`, `describe`, `no_params`), which f gets as Vars in the order of their
    leaves. The laws of layers can be checked on it as on any other.

    Raises `ShapeError` when a size is not possible; its forward pass raises `ShapeError` when f gives another shape.
    """
    where = f"{name}({n}, {i}, {o})"
    check_sizes(where, n=n, i=i, o=o)
    expect_function(where, "f", f, "a function f(x, *params) on Vars")
    expect(where, "params", params, Params, "a description of parameters, such as matrix(i, o) or no_params()")
    split = params.matrices
    if split is None or any(leaf.counter for leaf in params.leaves):
        raise ConfigError(f"{where}: its parameters must be described as matrices of weights")
    matrices = split

    def fwd(p: P, x: Mat[N, I]) -> Fwd[Mat[N, O], Past]:
        tape = graph()
        given = tape.input(guard_mat(x, (n, i), where, "x"))
        weights = [
            tape.input(guard_mat(m, leaf.shape, where, leaf.name))
            for m, leaf in zip(matrices(p), params.leaves, strict=True)
        ]
        result = f(given, *weights)
        if not isinstance(result, Var):
            raise DtypeError(f"{where}: the function must give a Var, got {type(result).__name__}")
        computed: Any = array_of(result)
        y = guard_mat(computed, (n, o), where, "what the function gives")
        return Fwd(_own(y), Past(tape, weights, given, result))

    def bwd(p: P, s: Past, dy: Mat[N, O], g: P) -> Bwd[P, Mat[N, I]]:
        grads = s.tape.backward_from(s.y, guard_mat(dy, (n, o), where, "dy"))
        for target, v in zip(matrices(g), s.params, strict=True):
            np.add(target, grads.of(v), out=target)
        gradient: Any = grads.of(s.x)
        return Bwd(_own(gradient), g)

    return make_layer(params, fwd, bwd, Info(name, {"n": n, "i": i, "o": o}, mat_spec(n, i), mat_spec(n, o)))


def _own(array: Array) -> Any:
    """A copy that nobody else has: the tape's arrays may be shared."""
    out = new_array(array.shape)
    np.copyto(out, array)
    return out
