"""The layer protocol: a typed record of functions over parameters `P`, input `X`, output `Y` and saved values `S`.

The gradient of the input has the input's type and the gradient of the parameters has the parameters' type, so a
backward pass that returns a transposed or wrongly sized gradient does not type-check. Anything with this record of
functions is a layer: the combinators, the trainer and the laws use nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from bendtorch.errors import ConfigError
from bendtorch.kernels import pool
from bendtorch.layer.info import Info
from bendtorch.layer.own import checked_backward, checked_forward, is_own
from bendtorch.layer.params import Params
from bendtorch.layer.variant import Evaluation, Mode

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")
S = TypeVar("S")
P2 = TypeVar("P2")
Z = TypeVar("Z")
S2 = TypeVar("S2")


@dataclass(slots=True)
class Fwd(Generic[Y, S]):
    """What a forward pass gives: the output, and what the backward pass will need."""

    y: Y
    s: S


@dataclass(slots=True)
class Bwd(Generic[P, X]):
    """What a backward pass gives: the gradient of the input, and the parameters' gradient with this call's added."""

    dx: X
    g: P


@dataclass(frozen=True, kw_only=True, repr=False)
class Layer(Params[P], Generic[P, X, Y, S]):
    """A layer: its parameters' functions (see `Params`), a forward and a backward pass.

    - `fwd(p, x)` is pure: it changes neither `p` nor `x`.
    - `bwd(p, s, dy, g)` turns `dy`, the gradient of the output (typed `Y`), into `dx` (typed `X`); it adds the gradient
      of the parameters into `g` (typed `P`) in place and returns it. It changes neither `p`, `s` nor `dy`, so it can be
      called twice. Into a `g` that is not zero it has the bits of computing the gradient apart and adding it.

    `vary(mode)` gives the layer's variant for evaluation, or for one of several copies; None where it has none.
    `rebuild(change)`, of a combinator, gives it built from `change(part)` for each of its parts (see `of_parts`).

    Build one from a description of its parameters with `make_layer`, or by giving every function.
    """

    fwd: Callable[[P, X], Fwd[Y, S]]
    bwd: Callable[[P, S, Y, P], Bwd[P, X]]
    info: Info = field(default_factory=lambda: Info("layer"))
    vary: Callable[[Mode], Layer[P, X, Y, S]] | None = None
    rebuild: Callable[[Callable[..., Any]], Layer[P, X, Y, S]] | None = None

    def __rshift__(self, then: Layer[P2, Y, Z, S2]) -> Layer[tuple[P, P2], X, Z, tuple[S, S2]]:
        """`self >> then`: this layer, then the other. Parameters and saved values are pairs; `>>` nests to the left.

        Raises `ShapeError` when the output of the one is not the input of the other.
        """
        from bendtorch.layer.chain import chain  # noqa: PLC0415  it builds layers, so it comes after this class

        return chain(self, then, ">>")

    def eval(self) -> Layer[P, X, Y, S]:
        """The layer as it is used, not trained: on the same parameters, with every Dropout inside the identity."""
        return self.variant(Evaluation())

    @property
    def varies(self) -> bool:
        """Whether this layer, or one inside, has variants."""
        return self.vary is not None or any(part.varies for part in self.info.parts)

    def variant(self, mode: Mode) -> Layer[P, X, Y, S]:
        """The variant for `mode`; the layer itself where it has none.

        Raises `ConfigError` when a layer inside has variants but this one, a combinator, does not pass them on.
        """
        if self.vary is not None:
            return self.vary(mode)
        varying = next((part for part in self.info.parts if part.varies), None)
        if varying is None:
            return self
        if self.rebuild is None:
            raise ConfigError(
                f"{self.info.brief}: {varying.info.brief} inside behaves differently in evaluation, but this "
                "combinator does not say how it is built from its parts; give make_layer(...) its "
                "rebuild=of_parts(build, *parts)"
            )
        return self.rebuild(lambda part: part.variant(mode))

    def __repr__(self) -> str:
        return str(self.info)

    def __copy__(self) -> Layer[P, X, Y, S]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer[P, X, Y, S]:
        return self  # it cannot be changed, and its parameters are not in it

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise ConfigError(
            f"{self.info.brief}: a layer is functions, which cannot be pickled; save the parameters with "
            "save_params(path, model, p), and build the layer again where they are loaded"
        )


def make_layer(
    params: Params[P],
    fwd: Callable[[P, X], Fwd[Y, S]],
    bwd: Callable[[P, S, Y, P], Bwd[P, X]],
    info: Info | None = None,
    *,
    vary: Callable[[Mode], Layer[P, X, Y, S]] | None = None,
    rebuild: Callable[[Callable[..., Any]], Layer[P, X, Y, S]] | None = None,
) -> Layer[P, X, Y, S]:
    """A layer from a description of its parameters, its two passes, what it says of itself, and how it varies."""
    pool.start()  # a layer is made to be run
    info = info or Info("layer")
    if is_own(fwd):
        fwd = checked_forward(info, Fwd, fwd)
    if is_own(bwd):
        bwd = checked_backward(info, Bwd, bwd)
    return Layer(
        zeros=params.zeros,
        step=params.step,
        dump=params.dump,
        load=params.load,
        store=params.store,
        count=params.count,
        view=params.view,
        leaves=params.leaves,
        matrices=params.matrices,
        fwd=fwd,
        bwd=bwd,
        info=info,
        vary=vary,
        rebuild=rebuild,
    )
