"""Id, Copy, Swap, Drop, Assoc: values go where they should, gradients come back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bendtorch.errors import DtypeError, ShapeError
from tests.support.arrays import same_bits
from tests.support.composites import ASSOC, COPY, DROP, ID, SWAP, check_composite
from tests.support.models import LIN
from tests.support.nests import drawn, equals_wide, wide
from tests.support.params import random_like
from tests.support.passes import run
from tests.support.sizes import rows, seeds, widths

test_wiring = check_composite(
    ID,
    COPY,
    DROP,
    lambda n, c: SWAP(n, c, 2),
    lambda n, c: ASSOC(n, c, 2, 1),
)


def passes(layer: Any, seed: int) -> tuple[Any, Any, Any, Any]:
    """An input, a gradient of the output, and what the layer makes of them."""
    x, dy = drawn(layer.info.takes, seed, whole=True), drawn(layer.info.gives, seed + 1, whole=True)
    y, dx, g = run(layer, (), x, dy)
    assert g == ()
    return x, dy, y, dx


@given(n=rows, c=widths, seed=seeds)
def test_id(n: int, c: int, seed: int) -> None:
    x, dy, y, dx = passes(ID(n, c), seed)
    assert same_bits(y, x)
    assert same_bits(dx, dy)


@given(n=rows, c=widths, seed=seeds)
def test_copy(n: int, c: int, seed: int) -> None:
    x, dy, y, dx = passes(COPY(n, c), seed)
    assert equals_wide(y, (wide(x), wide(x)))
    assert equals_wide(dx, wide(dy[0]) + wide(dy[1]))
    assert not any(np.shares_memory(dx, half) for half in dy)


@given(n=rows, a=widths, b=widths, seed=seeds)
def test_swap(n: int, a: int, b: int, seed: int) -> None:
    x, dy, y, dx = passes(SWAP(n, a, b), seed)
    assert equals_wide(y, wide(x)[::-1])
    assert equals_wide(dx, wide(dy)[::-1])


@given(n=rows, a=widths, b=widths, c=widths, seed=seeds)
def test_assoc(n: int, a: int, b: int, c: int, seed: int) -> None:
    (one, two), (d, e), y, dx = passes(ASSOC(n, a, b, c), seed)
    assert equals_wide(y, (wide(one[0]), (wide(one[1]), wide(two))))
    assert equals_wide(dx, ((wide(d), wide(e[0])), wide(e[1])))


@given(n=rows, c=widths, seed=seeds)
def test_drop(n: int, c: int, seed: int) -> None:
    _, _, y, dx = passes(DROP(n, c), seed)
    assert y == ()
    assert same_bits(dx, np.zeros((n, c), np.float32))
    assert not np.signbit(dx).any()


def test_the_zeros_of_drop_take_no_memory_and_cannot_be_written() -> None:
    layer = DROP(1000, 1000)
    dx = layer.bwd((), (), (), ()).dx
    assert dx.strides == (0, 0)
    assert not dx.flags.writeable


@given(n=rows, c=widths, seed=seeds)
def test_a_dropped_layer_is_not_trained(n: int, c: int, seed: int) -> None:
    """The zeros flow back into parameters as any gradient does."""
    model: Any = LIN(n, c, 3) >> DROP(n, 3)
    p = random_like(model, seed)
    y, dx, dp = run(model, p, drawn(model.info.takes, seed), ())
    assert y == ()
    assert not model.dump(dp).any()
    assert not dx.any()


SHAPE = "got an array of shape [3, 2]"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda ok, bad: ID(2, 3).fwd((), bad), "Id(2, 3): x must be Mat[2, 3], "),
        (lambda ok, bad: COPY(2, 3).fwd((), bad), "Copy(2, 3): x must be Mat[2, 3], "),
        (lambda ok, bad: COPY(2, 3).bwd((), (), (bad, ok), ()), "Copy(2, 3): dy must be Mat[2, 3], "),
        (lambda ok, bad: COPY(2, 3).bwd((), (), (ok, bad), ()), "Copy(2, 3): dy must be Mat[2, 3], "),
        (lambda ok, bad: SWAP(2, 3, 3).fwd((), (bad, ok)), "Swap(2, 3, 3): the first of x must be Mat[2, 3], "),
        (lambda ok, bad: SWAP(2, 3, 3).fwd((), (ok, bad)), "Swap(2, 3, 3): the second of x must be Mat[2, 3], "),
        (lambda ok, bad: SWAP(2, 3, 3).bwd((), (), (bad, ok), ()), "Swap(2, 3, 3): the first of dy must be Mat[2, 3],"),
        (lambda ok, bad: SWAP(2, 3, 3).bwd((), (), (ok, bad), ()), "Swap(2, 3, 3): the second of dy must be Mat[2, 3]"),
        (lambda ok, bad: DROP(2, 3).fwd((), bad), "Drop(2, 3): x must be Mat[2, 3], "),
        (lambda ok, bad: ASSOC(2, 3, 3, 3).fwd((), ((bad, ok), ok)), "Assoc(2, 3, 3, 3): u must be Mat[2, 3], "),
        (lambda ok, bad: ASSOC(2, 3, 3, 3).fwd((), ((ok, bad), ok)), "Assoc(2, 3, 3, 3): v must be Mat[2, 3], "),
        (lambda ok, bad: ASSOC(2, 3, 3, 3).fwd((), ((ok, ok), bad)), "Assoc(2, 3, 3, 3): w must be Mat[2, 3], "),
        (lambda ok, bad: ASSOC(2, 3, 3, 3).bwd((), (), (bad, (ok, ok)), ()), "Assoc(2, 3, 3, 3): du must be Mat[2, 3]"),
        (lambda ok, bad: ASSOC(2, 3, 3, 3).bwd((), (), (ok, (bad, ok)), ()), "Assoc(2, 3, 3, 3): dv must be Mat[2, 3]"),
        (lambda ok, bad: ASSOC(2, 3, 3, 3).bwd((), (), (ok, (ok, bad)), ()), "Assoc(2, 3, 3, 3): dw must be Mat[2, 3]"),
    ],
)
def test_the_layer_and_the_argument_are_named(call: Any, text: str) -> None:
    good, bad = np.zeros((2, 3), np.float32), np.zeros((3, 2), np.float32)
    with pytest.raises(ShapeError, match=f"^{re.escape(text)}.*{re.escape(SHAPE)}$"):
        call(good, bad)
    what = text[: text.index(" must be")]
    with pytest.raises(DtypeError, match=f"^{re.escape(what)} must be float32 in native byte order"):
        call(good, good.astype(np.float64))


@pytest.mark.parametrize(
    ("make", "names"),
    [(ID, "nc"), (COPY, "nc"), (DROP, "nc"), (SWAP, "nab"), (ASSOC, "nabc")],
    ids=["Id", "Copy", "Drop", "Swap", "Assoc"],
)
def test_impossible_sizes_are_refused(make: Any, names: str) -> None:
    good = [2, 3, 4, 5][: len(names)]
    layer = make(*good)
    assert str(layer) == f"{layer.info.name}({', '.join(map(str, good))})"
    assert dict(layer.info.sizes) == dict(zip(names, good, strict=True))
    for place, name in enumerate(names):
        least = 0 if place == 0 else 1
        wrong: list[tuple[Any, str]] = [
            (least - 1, f"size {name} must be at least {least}, got {least - 1}"),
            (2.0, f"size {name} must be an int, got float 2.0"),
            (True, f"size {name} must be an int, got bool True"),
        ]
        for size, text in wrong:
            sizes = [*good[:place], size, *good[place + 1 :]]
            call = f"{layer.info.name}({', '.join(map(str, sizes))})"
            with pytest.raises(ShapeError, match=f"^{re.escape(f'{call}: {text}')}$"):
                make(*sizes)


@pytest.mark.parametrize("make", [ID, COPY, DROP, SWAP, ASSOC], ids=["Id", "Copy", "Drop", "Swap", "Assoc"])
def test_they_save_nothing_and_have_no_parameters(make: Any) -> None:
    layer = make(*[2, 3, 4, 5][: 4 if make is ASSOC else 3 if make is SWAP else 2])
    assert layer.info.saves == ()
    assert layer.count() == 0
    assert layer.leaves == ()
    assert layer.zeros() == ()
    assert layer.fwd((), drawn(layer.info.takes, 0)).s == ()
