"""The layers that stand around the one that is checked: wiring on values of any type, and some with parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bendtorch.combine.arithmetic import Add2
from bendtorch.combine.both import Both
from bendtorch.combine.gradients import add_gradients
from bendtorch.combine.wiring import Copy, Id, Swap, wire
from bendtorch.laws.law import NotHereError
from bendtorch.laws.trial import AnyLayer, Generator, Trial
from bendtorch.layers.linear import Linear
from bendtorch.layers.linear_nb import LinearNB
from bendtorch.layers.tanh import Tanh
from bendtorch.shapes.spec import ArraySpec, Spec

WIDTHS: Final = (1, 2, 3)

# Sizes are known only at run time.
_id: Any = Id
_copy: Any = Copy
_swap: Any = Swap
_add: Any = Add2
_linear: Any = Linear
_linear_nb: Any = LinearNB
_tanh: Any = Tanh


def mat_or_none(spec: Spec | None) -> ArraySpec | None:
    """A spec that is one matrix of float32."""
    return spec if isinstance(spec, ArraySpec) and spec.kind == "Mat" else None


def known(spec: Spec | None) -> Spec:
    """A spec that a law needs."""
    if spec is None:
        raise NotHereError("it does not say what it takes and gives")
    return spec


def identity(spec: Spec) -> AnyLayer:
    """The identity on values of a spec."""
    if isinstance(spec, ArraySpec) and spec.kind == "Mat":
        return _any(_id(*spec.shape))
    if isinstance(spec, tuple) and len(spec) == 2:
        return Both(identity(spec[0]), identity(spec[1]))
    return wire("Id", {}, spec, spec, lambda x: x, lambda dy: dy)


def copying(spec: Spec) -> AnyLayer:
    """Δ on values of a spec."""
    if isinstance(spec, ArraySpec) and spec.kind == "Mat":
        return _any(_copy(*spec.shape))
    return wire("Copy", {}, spec, (spec, spec), lambda x: (x, x), lambda dy: add_gradients(dy[0], dy[1], "Copy"))


def swapping(one: Spec, two: Spec) -> AnyLayer:
    """σ on pairs of values of two specs."""
    a, b = mat_or_none(one), mat_or_none(two)
    if a is not None and b is not None and a.shape[0] == b.shape[0]:
        return _any(_swap(a.shape[0], a.shape[1], b.shape[1]))
    return wire("Swap", {}, (one, two), (two, one), lambda x: (x[1], x[0]), lambda dy: (dy[1], dy[0]))


def adding(spec: Spec) -> AnyLayer:
    """The sum of a pair of values of a spec."""
    if isinstance(spec, ArraySpec) and spec.kind == "Mat":
        return _any(_add(*spec.shape))
    return wire("Add", {}, (spec, spec), spec, lambda x: add_gradients(x[0], x[1], "Add"), lambda dy: (dy, dy))


def after(spec: Spec | None, generator: Generator) -> AnyLayer:
    """Some smooth layer that takes values of a spec."""
    spec = known(spec)
    if not isinstance(spec, ArraySpec) or spec.kind != "Mat" or not spec.shape[1]:
        return identity(spec)
    n, c = spec.shape
    width = int(generator.choice(WIDTHS))
    makers = (lambda: _linear(n, c, width), lambda: _linear_nb(n, c, width), lambda: _tanh(n, c), lambda: _id(n, c))
    return _any(makers[generator.integers(len(makers))]())


def before(spec: Spec | None, generator: Generator, input_gradient: bool = True) -> AnyLayer:
    """Some smooth layer that gives values of a spec; without parameters where what follows has no `input_gradient`."""
    spec = known(spec)
    if not isinstance(spec, ArraySpec) or spec.kind != "Mat" or not input_gradient:
        return identity(spec)
    n, c = spec.shape
    width = int(generator.choice(WIDTHS))
    makers = (lambda: _linear(n, width, c), lambda: _linear_nb(n, width, c), lambda: _tanh(n, c), lambda: _id(n, c))
    return _any(makers[generator.integers(len(makers))]())


def _any(layer: Any) -> AnyLayer:
    made: AnyLayer = layer
    return made


def mat_of(trial: Trial) -> ArraySpec:
    """The first matrix that the layer takes or gives."""
    info = trial.layer.info
    found = next(_matrices((known(info.takes), known(info.gives))), None)
    if found is None:
        raise NotHereError("it neither takes nor gives a matrix")
    return found


def _matrices(spec: Spec) -> Iterator[ArraySpec]:
    """The matrices in a spec."""
    for part in spec if isinstance(spec, tuple) else ():
        yield from _matrices(part)
    if isinstance(spec, ArraySpec) and spec.kind == "Mat":
        yield spec
