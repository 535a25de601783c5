"""fused(layer): the same function of the same parameters, with fewer numbers saved and fewer passes over memory.

- `Fork(LinearNB(...), Fork(LinearNB(...), LinearNB(...)))`: each product adds to the gradient of the input in place.
- `Fork(LinearNB(...) >> SiLU(...), LinearNB(...)) >> Mul2(...) >> LinearNB(...)`, a gated layer: its middle is one pass
  over memory, and is computed again in the backward pass instead of being saved.
- `RMSNorm(...)` before one of these: its output is computed again from its input, instead of being saved.

Outputs and gradients have the bits of the original. A pattern is found where it is a chain of its own or begins one:
in `a >> (norm >> fork)`, not in `a >> norm >> fork`, which is `(a >> norm) >> fork`. All else stays as it is, layers of
users too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from bendtorch.layer import Bwd, Fwd, Layer
from bendtorch.layer.arguments import expect_layer
from bendtorch.layer.chain import CHAIN, chain_parts
from bendtorch.layer.given import GRADIENT, PARAMETERS
from bendtorch.rewrite.cores import Core, gated_core, products_core
from bendtorch.rewrite.inputs import Passes, kept, normalised
from bendtorch.rewrite.nest import ONE, AnyLayer, apart, nested

P = TypeVar("P")
X = TypeVar("X")
Y = TypeVar("Y")

GATED = ("LinearNB", "SiLU", "LinearNB", "Mul2", "LinearNB")


def fused(layer: Layer[P, X, Y, Any]) -> Layer[P, X, Y, Any]:
    """The layer, rewritten: the same parameters (so files and `Train` fit both), fewer saved values.

    Raises `ConfigError` for what is no layer.

    Laws: those of `layer`, and that it has the bits of `layer`.
    """
    expect_layer("fused", layer)
    passes = _passes(layer)
    if passes is not None:
        return _rewritten(layer, passes)
    return layer if layer.rebuild is None else layer.rebuild(fused)


def _is(layer: AnyLayer, *names: str) -> bool:
    """Whether it is this package's layer of one of these names: anybody may give a layer any name."""
    return layer.info.name in names and getattr(layer.fwd, "__module__", "").startswith("bendtorch.")


def _passes(layer: AnyLayer) -> Passes | None:
    """The passes that stand for a layer, if it is one of the patterns."""
    if not _is(layer, CHAIN, "Fork"):
        return None
    parts, name = chain_parts(layer), layer.info.brief
    norm = parts[0] if _is(parts[0], "RMSNorm") else None
    core = _core(parts if norm is None else parts[1:], name)
    if core is None or norm is None:
        return core and kept(core, name)
    return normalised(core, cast("float", norm.info.options["eps"]), name)


def _core(parts: tuple[AnyLayer, ...], name: str) -> Core | None:
    """The core that stands for some layers in a row: several products of one input, or a gated layer."""
    if not parts or not _is(parts[0], "Fork"):
        return None
    nest, branches = nested(parts[0], lambda part: _is(part, "Fork"))
    if len(parts) == 1 and all(_is(branch, "LinearNB") for branch in branches):
        n, i, _ = branches[0].info.sizes.values()
        return products_core(n, i, [branch.info.sizes["o"] for branch in branches], nest, name)
    if nest != (ONE, ONE):
        return None
    layers = (*chain_parts(branches[0]), branches[1], *parts[1:])
    if len(layers) != len(GATED) or len(parts) != 3 or not all(map(_is, layers, GATED)):
        return None
    n, i, f = layers[0].info.sizes.values()
    return gated_core(n, i, f, layers[-1].info.sizes["o"], name)


def _rewritten(layer: Layer[P, X, Y, Any], passes: Passes) -> Layer[P, X, Y, Any]:
    """The layer with other passes. Whatever is done to its parts is done to the original's, and that is rewritten."""
    nest, _ = nested(layer, lambda part: _is(part, CHAIN, "Fork"))
    info, original = replace(layer.info, saves=passes.saves), layer.rebuild

    def fwd(p: P, x: X) -> Fwd[Y, Any]:
        return Fwd(*passes.fwd(apart(nest, p, info, PARAMETERS), x))

    def bwd(p: P, s: Any, dy: Y, g: P) -> Bwd[P, X]:
        ps, gs = apart(nest, p, info, PARAMETERS), apart(nest, g, info, GRADIENT)
        return Bwd(passes.bwd(ps, s, dy, gs), g)

    def rebuild(change: Callable[..., Any]) -> Layer[P, X, Y, Any]:
        assert original is not None
        return fused(original(change))

    return replace(layer, fwd=fwd, bwd=bwd, info=info, rebuild=rebuild)
