"""fused: every bit of the original, fewer numbers saved, and all that combinators and trainers ask of a layer."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings

from bendtorch import AdamW, CrossEntropy, Fork, Key, RMSNorm, SiLU, Train
from bendtorch.combine import Mul2, Repeat, Residual
from bendtorch.errors import ConfigError, ShapeError
from bendtorch.models import Llama, LlamaUntied, init_normal
from bendtorch.rewrite import fused
from tests.support.arrays import all_same_bits, numbers
from tests.support.composites import check_composite
from tests.support.models import LIN, NB
from tests.support.nests import drawn
from tests.support.params import random_like
from tests.support.sizes import rows, seeds, shrunk, widths

NORM: Final[Any] = RMSNorm
SILU: Final[Any] = SiLU
MUL: Final[Any] = Mul2
LLAMA: Final[Any] = Llama
SIZES: Final = (2, 5, 11, 12, 2, 2, 3, 16, 2)


def products(n: int, c: int) -> Any:
    """Three products of one input."""
    return Fork(NB(n, c, c + 1), Fork(NB(n, c, 2), NB(n, c, c)))


def gated(n: int, c: int, f: int = 5) -> Any:
    """A gated layer."""
    return Fork(NB(n, c, f) >> SILU(n, f), NB(n, c, f)) >> MUL(n, f) >> NB(n, f, c)


BUILDS: Final = {
    "products": products,
    "normalised products": lambda n, c: NORM(n, c, eps=0.1) >> products(n, c),
    "gated": gated,
    "normalised gated": lambda n, c: NORM(n, c) >> gated(n, c),
    "in one row": lambda n, c: (
        NORM(n, c) >> Fork(NB(n, c, 3) >> SILU(n, 3), NB(n, c, 3)) >> MUL(n, 3) >> NB(n, 3, c) >> LIN(n, c, 2)
    ),
    "inside": lambda n, c: Repeat(2, Residual(NORM(n, c) >> gated(n, c))) >> NORM(n, c) >> products(n, c),
}
EACH = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)

test_products = check_composite(lambda n, c: fused(products(n, c)), lambda n, c: fused(NORM(n, c) >> products(n, c)))
test_gated = check_composite(lambda n, c: fused(gated(n, c)), lambda n, c: fused(NORM(n, c) >> gated(n, c)))


def passes(layer: Any, seed: int) -> Any:
    """y, dx, and the gradient added to one that is not zero."""
    p, x, dy, g = (
        random_like(layer, seed),
        drawn(layer.info.takes, seed + 1),
        drawn(layer.info.gives, seed + 2),
        random_like(layer, seed + 3),
    )
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, g)
    return forward.y, backward.dx, backward.g


def saved_bytes(layer: Any, seed: int) -> int:
    """The size of all arrays that a forward pass saves, each once."""
    saved = layer.fwd(random_like(layer, seed), drawn(layer.info.takes, seed)).s

    def arrays(value: Any) -> list[Any]:
        return [a for part in value for a in arrays(part)] if isinstance(value, tuple) else [value]

    return sum({id(array): array.nbytes for array in arrays(saved)}.values())


@EACH
@settings(max_examples=30)
@given(n=rows, c=widths, seed=seeds)
def test_every_bit_is_that_of_the_original(build: Any, n: int, c: int, seed: int) -> None:
    layer = build(n, c)
    assert all_same_bits(passes(fused(layer), seed), passes(layer, seed))


@pytest.mark.parametrize("build", [products, gated])
def test_every_bit_over_several_runs_and_tiles(build: Any) -> None:
    n, c = shrunk(600, 5), shrunk(530, 6)
    layer = NORM(n, c) >> (gated(n, c, shrunk(700, 7)) if build is gated else products(n, c))
    assert all_same_bits(passes(fused(layer), 1), passes(layer, 1))


@EACH
def test_it_is_rewritten_and_says_the_same_of_itself(build: Any) -> None:
    layer = build(3, 4)
    other = fused(layer)
    assert str(other) == str(layer)
    assert other.leaves == layer.leaves
    assert saved_bytes(other, 0) <= saved_bytes(layer, 0)
    assert all_same_bits(passes(fused(other), 2), passes(layer, 2))


def test_fewer_numbers_are_saved() -> None:
    """Of the norm's output, the two factors and the product of the middle, nothing."""
    n, c, f = 6, 4, 5
    layer = NORM(n, c) >> gated(n, c, f)
    assert saved_bytes(layer, 0) - saved_bytes(fused(layer), 0) == 4 * n * (c + 2 * f)


def test_a_llama_trains_to_the_same_bits() -> None:
    ids, targets = np.random.default_rng(0).integers(0, 11, (2, 10))
    ends = []
    for model in (LLAMA(*SIZES, dropout=0.2), fused(LLAMA(*SIZES, dropout=0.2))):
        train, loss = Train.new(model, AdamW(1e-2), init_normal(model, Key(0))), CrossEntropy(10, 11)
        losses = [train.step(model, loss, ids, targets) for _ in range(3)]
        ends.append((np.array(losses), model.dump(train.p), model.eval().fwd(train.p, ids).y))
    assert all_same_bits(*map(tuple, ends))


@pytest.mark.parametrize("make", [Llama, LlamaUntied])
def test_a_llama_keeps_less(make: Any) -> None:
    model = make(*SIZES)
    assert saved_bytes(fused(model), 0) < 0.75 * saved_bytes(model, 0)


def test_what_fits_no_pattern_stays() -> None:
    for layer in (NB(2, 3, 4), NORM(2, 3), SILU(2, 3)):
        assert fused(layer) is layer
    for layer in (Fork(LIN(2, 3, 4), NB(2, 3, 4)), Fork(NB(2, 3, 4) >> SILU(2, 4), NB(2, 3, 4)) >> MUL(2, 4)):
        assert all_same_bits(passes(fused(layer), 0), passes(layer, 0))
        assert saved_bytes(fused(layer), 0) == saved_bytes(layer, 0)


def test_what_is_no_layer_or_not_its_parameters_is_refused() -> None:
    with pytest.raises(ConfigError, match="fused: model must be a layer"):
        fused(NB)
    layer = fused(NORM(2, 3) >> gated(2, 3))
    p, x = random_like(layer, 0), numbers(1, 2, 3)
    with pytest.raises(ShapeError, match="weight must be Mat"):
        layer.fwd(random_like(fused(NORM(2, 3) >> gated(2, 3, 4)), 0), x)
    s = layer.fwd(p, x).s
    with pytest.raises(ShapeError, match="the saved values must be a tuple of 3"):
        layer.bwd(p, s[:2], numbers(2, 2, 3), layer.zeros())
