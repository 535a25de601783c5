"""Trials: a layer of drawn sizes, with parameters, inputs and cotangents of any nest that its specs describe."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from bendtorch.errors import ConfigError
from bendtorch.laws.nest import arrays_in, mapped
from bendtorch.layer import Layer
from bendtorch.shapes.spec import Spec

AnyLayer: TypeAlias = Layer[Any, Any, Any, Any]
Generator: TypeAlias = np.random.Generator

SPECIAL: Final = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-40, 3e38], np.float32)

FILLS: Final[dict[str, Callable[[Generator, tuple[int, ...]], Any]]] = {
    "whole": lambda generator, shape: generator.integers(-3, 4, shape).astype(np.float32),
    "ordinary": lambda generator, shape: generator.standard_normal(shape, np.float32),
    "wide": lambda generator, shape: generator.standard_normal(shape, np.float32) * np.float32(8),
    "tiny": lambda generator, shape: generator.standard_normal(shape, np.float32) * np.float32(1e-9),
    "huge": lambda generator, shape: generator.standard_normal(shape, np.float32) * np.float32(1e9),
    "special": lambda generator, shape: np.where(
        generator.random(shape) < 0.3, generator.choice(SPECIAL, shape), generator.standard_normal(shape, np.float32)
    ),
    "alike": lambda generator, shape: np.full(shape, generator.choice(SPECIAL), np.float32),
}
"""The kinds of numbers that laws are tried on."""

ORDINARY: Final = ("ordinary", "whole")
SPREAD: Final = ("ordinary", "wide")
FINITE: Final = ("ordinary", "whole", "tiny", "huge")
EVERY: Final = (*FINITE, "special", "alike")

NUMBERS: Final = ("p", "x", "dy", "x2", "dy2", "g")
"""What a trial holds beside its layer: the shrinker makes these simple."""


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings of NumPy: laws are tried on numbers that overflow, and on batches of nothing."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@dataclass(frozen=True)
class Trial:
    """A layer, parameters `p`, two inputs, two cotangents, and a gradient `g` to add to.

    `resized(n)` builds the same layer for a batch of n elements; None where nothing is known that could. `seed` and
    `kind` are what a law draws from that needs more. `subject` is the loss, optimizer or clipping that is checked with
    this layer, `target` what a loss compares with; None where it is the layer itself.
    """

    layer: AnyLayer
    p: Any
    x: Any
    dy: Any
    x2: Any
    dy2: Any
    g: Any
    seed: int
    sizes: tuple[int, ...] = ()
    resized: Callable[[int], AnyLayer] | None = None
    kind: str = "ordinary"
    subject: Any = None
    target: Any = None

    def fresh(self) -> Trial:
        """The same trial on arrays of its own, which a layer at fault may change."""
        return replace(self, **{name: mapped(np.copy, getattr(self, name)) for name in NUMBERS})

    def generator(self, more: int = 0) -> Generator:
        """Random numbers of this trial; others for other `more`."""
        return np.random.default_rng((self.seed, more))

    def backward(self, x: Any, dy: Any) -> dict[str, Any]:
        """Both gradients, that of the parameters into zeros; `dx` is left out where the layer gives none."""
        back = self.layer.bwd(self.p, self.layer.fwd(self.p, x).s, dy, self.layer.zeros())
        return {"dx": back.dx, "dp": back.g} if self.layer.info.input_gradient else {"dp": back.g}


def draw(
    layer: AnyLayer,
    seed: int,
    kind: str = "ordinary",
    sizes: tuple[int, ...] = (),
    resized: Callable[[int], AnyLayer] | None = None,
    example: Any = None,
) -> Trial:
    """A trial of a layer. The inputs are like its spec, or like `example` where it does not say what it takes.

    Of a wide trial the inputs alone are wide: products of wide numbers saturate whatever follows.
    """
    generator = np.random.default_rng(seed)
    takes, gives, rest = layer.info.takes, layer.info.gives, "ordinary" if kind == "wide" else kind

    def numbers(spec: Spec | None, like: Any, kind: str = rest) -> Any:
        return filled(spec, generator, kind) if spec is not None else like_example(like, generator, kind)

    if takes is None and example is None:
        raise ConfigError(
            f"laws: {layer} does not say what it takes; give it an Info with `takes`, or the check an example: x=..."
        )
    x, x2 = numbers(takes, example, kind), numbers(takes, example, kind)
    p, g = parameters(layer, generator, rest), parameters(layer, generator, rest)
    y = layer.fwd(p, x).y if gives is None else None
    return Trial(layer, p, x, numbers(gives, y), x2, numbers(gives, y), g, seed, sizes, resized, kind)


def filled(spec: Spec, generator: Generator, kind: str) -> Any:
    """Arrays of a spec, in a nest of tuples like it; ids and places are below their bound, or 0 or 1 without one."""
    if isinstance(spec, tuple):
        return tuple(filled(part, generator, kind) for part in spec)
    if spec.kind == "Ids":
        return generator.integers(0, 2 if spec.below is None else spec.below, spec.shape)
    if spec.kind == "Places":
        return generator.integers(0, 2 if spec.below is None else spec.below, spec.shape, np.int32)
    return FILLS[kind](generator, spec.shape)


def like_example(example: Any, generator: Generator, kind: str) -> Any:
    """Arrays like those of an example; ids are among its ids."""

    def other(array: Any) -> Any:
        if array.dtype.kind == "f":
            return FILLS[kind](generator, array.shape).astype(array.dtype)
        return generator.choice(array.reshape(-1), array.shape).astype(array.dtype) if array.size else array

    return mapped(other, example)


def parameters(layer: AnyLayer, generator: Generator, kind: str) -> Any:
    """Parameters of a layer, written into its zeros: whether `load` works is for a law to say."""
    p = layer.zeros()
    for array in arrays_in(p):
        cells = FILLS[kind](generator, array.shape)
        array[...] = cells.view(array.dtype) if array.dtype == np.uint32 else cells
    if not arrays_in(p):
        layer.load(p, FILLS[kind](generator, (layer.count(),)), 0)
    return p


def batch_share(value: Any, n: int, start: int, stop: int) -> Any:
    """The rows in a nest that belong to the elements `start` to `stop` of a batch of n, each as many rows."""
    return mapped(lambda array: array[start * len(array) // n : stop * len(array) // n], value)


def in_equal_shares(value: Any, n: int) -> bool:
    """Whether every array has the same number of rows for each of n elements."""
    return all(array.ndim > 0 and len(array) % n == 0 for array in arrays_in(value))
