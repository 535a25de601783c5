"""Repeat: the same layer k times in a row, each time with parameters of its own.

The parameters are a tuple of k, whose type does not grow with k, so a stack of a thousand blocks is checked at once.
The numbers and their order are those of a chain of k copies.
"""

from __future__ import annotations

from functools import partial
from typing import Generic, TypeVar

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.layer.given import A_LAYER, GRADIENT, PARAMETERS, require, wrong
from bendtorch.layer.info import Info
from bendtorch.layer.leaf import Leaf
from bendtorch.layer.pair import Transfer, loading, storing
from bendtorch.layer.params import Params, Step
from bendtorch.layer.protocol import Bwd, Fwd, Layer, make_layer
from bendtorch.layer.variant import Copy, of_parts
from bendtorch.optim.at import Opt, share
from bendtorch.optim.state import OptState, map_state, rejoined, split_state
from bendtorch.shapes.arrays import FlatF32
from bendtorch.shapes.spec import show_spec

P = TypeVar("P")
X = TypeVar("X")
S = TypeVar("S")


def Repeat(k: int, f: Layer[P, X, X, S]) -> Layer[tuple[P, ...], X, X, tuple[S, ...]]:
    """`f >> f >> ... >> f`, k times, with k sets of parameters.

    Layers that draw random numbers (Dropout) draw others in each copy: the copy's index is hashed into the seed.

    Raises `ConfigError` when k is less than 1, and `ShapeError` when `f` gives another shape than it takes.

    Laws: L23 to L28, L31 to L35, L38 to L40, L44, L46 to L49, L51, L69.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ConfigError(f"Repeat: k must be an int of at least 1, got {k!r}")
    require("Repeat", A_LAYER, Layer, f)
    takes, gives = f.info.takes, f.info.gives
    if takes != gives:
        raise ShapeError(
            f"Repeat: {f.info.brief} takes {show_spec(takes)}, gives {show_spec(gives)}; "
            "a repeated layer must keep its shape"
        )
    if k > 1 and not f.info.input_gradient and f.count() > 0:
        raise ConfigError(f"Repeat: {f.info.brief} gives no gradient of its input, which the copy before it needs")

    layers = [f.variant(Copy(i)) for i in range(k)] if f.varies else [f] * k

    def fwd(p: tuple[P, ...], x: X) -> Fwd[X, tuple[S, ...]]:
        saved = []
        for layer, part in zip(layers, _copies(p, k), strict=True):
            one = layer.fwd(part, x)
            x = one.y
            saved.append(one.s)
        return Fwd(x, tuple(saved))

    def bwd(p: tuple[P, ...], s: tuple[S, ...], dy: X, g: tuple[P, ...]) -> Bwd[tuple[P, ...], X]:
        p, s, gradients = _copies(p, k), _copies(s, k, "the saved values"), list(_copies(g, k, GRADIENT))
        for place in reversed(range(k)):
            one = layers[place].bwd(p[place], s[place], dy, gradients[place])
            dy, gradients[place] = one.dx, one.g
        return Bwd(dy, tuple(gradients))

    saves = f.info.saves
    info = Info(
        "Repeat",
        {"k": k},
        takes=takes,
        gives=gives,
        saves=None if saves is None else (saves,) * k,
        parts=(f,),
        input_gradient=f.info.input_gradient,
    )
    return make_layer(repeated(k, f), fwd, bwd, info, rebuild=of_parts(partial(Repeat, k), f))


def _copies(parts: tuple[P, ...], k: int, what: str = PARAMETERS) -> tuple[P, ...]:
    """One for each copy; anything else is refused before a copy is run."""
    if isinstance(parts, tuple) and len(parts) == k:
        return parts
    raise wrong(parts, "Repeat", what, f"a tuple of {k}, one for each copy")


class RepeatStep(Generic[P]):
    """One optimizer step over k sets of parameters: the step of each."""

    def __init__(self, k: int, part: Params[P]) -> None:
        self.k, self.part = k, part.step
        self.cells, self.leaves = part.count(), len(part.leaves)
        self.elementwise = getattr(part.step, "elementwise", False)

    def __call__(
        self, opt: Opt, p: tuple[P, ...], g: tuple[P, ...], st: OptState[tuple[P, ...]]
    ) -> Step[tuple[P, ...]]:
        """Step each set in place with its share of the state."""
        p, g = _copies(p, self.k), _copies(g, self.k, GRADIENT)
        st = map_state(st, lambda parts: _copies(parts, self.k, "the optimizer's state"))
        shares = split_state(st, [self.cells] * self.k)
        steps = [self.part(share(opt, i * self.leaves, self.leaves), p[i], g[i], shares[i]) for i in range(self.k)]
        joined = rejoined(st, shares, [s.st for s in steps])
        return Step(tuple(s.p for s in steps), tuple(s.g for s in steps), joined)


def repeated(k: int, part: Params[P]) -> Params[tuple[P, ...]]:
    """The functions over k sets of parameters, one after another."""
    size, view, matrices = part.count(), part.view, part.matrices

    def each(one: Transfer[P]) -> Transfer[tuple[P, ...]]:
        def run(p: tuple[P, ...], flat: FlatF32, offset: int) -> int:
            for copy in p:
                offset = one.run(copy, flat, offset)
            return offset

        return Transfer(k * size, lambda p: [one.check(copy) for copy in _copies(p, k)], run)

    leaves: tuple[Leaf, ...] = tuple(leaf.under(str(i)) for i in range(k) for leaf in part.leaves)
    return Params(
        zeros=lambda: tuple(part.zeros() for _ in range(k)),
        step=RepeatStep(k, part),
        dump=lambda p: np.concatenate([part.dump(one) for one in _copies(p, k)]),
        load=each(loading(part)),
        store=each(storing(part)),
        count=lambda: k * size,
        view=None if view is None else lambda flat, offset: tuple(view(flat, offset + i * size) for i in range(k)),
        leaves=leaves,
        matrices=None if matrices is None else lambda p: [array for one in _copies(p, k) for array in matrices(one)],
    )
