"""The checks of a layer's two passes that need no judge: the laws, layouts, refusals, empty batches, threads.

The laws are the package's own (`bendtorch.laws`), here on the sizes that tests draw. Every layer and
every combinator passes them, whatever nest of matrices and ids it takes and gives.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pytest

from bendtorch.errors import DtypeError, IndexRangeError, ShapeError
from bendtorch.laws.gradients import ACCUMULATES, LINEAR, PURE, SCALES, TYPES
from bendtorch.laws.law import Law, NotHereError
from bendtorch.laws.nest import floats_in
from bendtorch.laws.trial import draw
from tests.support.arrays import (
    LAYOUTS,
    WRONG_IDS,
    WRONG_PLACES,
    WRONG_TYPES,
    all_same_bits,
    as_lists,
    broadcast_row,
    snapshot,
)
from tests.support.nests import array_specs, drawn, fits, mapped, replaced
from tests.support.params import random_like
from tests.support.sizes import shrunk
from tests.support.threads import at_every_count


@dataclass(frozen=True)
class Case:
    """A layer of drawn sizes, `factory(*arguments, **options)`, with random parameters and arrays for it.

    `large` are the sizes for several chunks and tiles; `arguments_of(n, *widths)` the sizes that the factory takes.
    """

    factory: Callable[..., Any]
    n: int
    widths: tuple[int, ...]
    seed: int
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    large: tuple[int, ...] | None = None
    arguments_of: Callable[..., tuple[int, ...]] = lambda *sizes: sizes

    @property
    def arguments(self) -> tuple[int, ...]:
        """The sizes that the layer is built with."""
        return self.arguments_of(self.n, *self.widths)

    @cached_property
    def layer(self) -> Any:
        """The layer."""
        return self.factory(*self.arguments, **self.options)

    @property
    def p(self) -> Any:
        """Parameters of it."""
        return random_like(self.layer, self.seed)

    def x(self, more: int = 0) -> Any:
        """An input."""
        return drawn(self.layer.info.takes, self.seed + 10 + more)

    def dy(self, more: int = 0, whole: bool = False) -> Any:
        """A gradient of the output; `whole` numbers add without rounding."""
        return drawn(self.layer.info.gives, self.seed + 20 + more, whole)

    def sized(self, n: int, *widths: int) -> Any:
        """The same case of other sizes."""
        return replace(self, n=n, widths=widths or self.widths)

    def enlarged(self) -> Any:
        """The same case, large enough for several chunks and tiles; small where pure Python would take too long."""
        if self.large is not None:
            return self.sized(*(shrunk(size, min(size, 3)) for size in self.large))
        size = shrunk(300, 12)
        return self.sized(size + self.n, *(size for _ in self.widths))


def run(layer: Any, p: Any, x: Any, dy: Any) -> tuple[Any, Any, Any]:
    """Both passes into a zero gradient: y, dx, dp."""
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    return forward.y, backward.dx, backward.g


def obeys(law: Law) -> Callable[[Case], None]:
    """The check that a case obeys a law, where it applies."""

    def check(case: Case) -> None:
        kind = law.kinds[case.seed % len(law.kinds)]
        trial = draw(case.layer, case.seed, kind, (case.n, *case.widths), lambda n: case.sized(n).layer)
        with contextlib.suppress(NotHereError), np.errstate(all="ignore"):
            found = law.compare(trial)
            assert found is None, str(found)

    check.__name__ = f"{law.number} {law.name}"
    return check


def results_have_the_declared_types(case: Case) -> None:
    """L51: y, dx and s are nests of the declared shapes; dp is the gradient that was given."""
    layer, p, x, g = case.layer, case.p, case.x(), case.layer.zeros()
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, case.dy(), g)
    assert fits(forward.y, layer.info.gives)
    assert fits(backward.dx, layer.info.takes)
    assert layer.info.saves is None or fits(forward.s, layer.info.saves)
    assert all(a is b for a, b in zip(as_lists(backward.g), as_lists(g), strict=True))


def every_layout_gives_equal_bits(case: Case) -> None:
    """Every way that numpy can lay out an array is accepted for x, p, s and dy, at every place of their nests.

    Fortran order, strides, slices, read-only, unaligned and foreign arrays; ids of either width.
    """
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    s, expected = layer.fwd(p, x).s, snapshot(run(layer, p, x, dy))
    for lay_out in (*LAYOUTS.values(), narrow_ids):
        backward = layer.bwd(p, mapped(lay_out, s), dy, layer.zeros())
        assert all_same_bits(numbers_in((backward.dx, backward.g)), numbers_in(expected[1:]))
        results = run(layer, mapped(lay_out, p), mapped(lay_out, x), mapped(lay_out, dy))
        assert all_same_bits(numbers_in(results), numbers_in(expected))
    if case.n:
        row_x, row_dy = mapped(broadcast_row, x), mapped(broadcast_row, dy)
        whole_x, whole_dy = mapped(np.array, row_x), mapped(np.array, row_dy)
        assert all_same_bits(run(layer, p, row_x, row_dy), run(layer, p, whole_x, whole_dy))


def narrow_ids(array: Any) -> Any:
    """Ids in 32 bits."""
    return array.astype(np.int32) if array.dtype.kind == "i" else array


def numbers_in(value: Any) -> tuple[Any, ...]:
    """The float arrays in a nest: ids have no gradient, only something in its place."""
    return tuple(floats_in(value))


def parts_of(layer: Any) -> list[str]:
    """The layers inside of a layer, at any depth, and itself, as they are written."""
    return [str(layer), *(name for part in (*layer.info.parts, *layer.info.links) for name in parts_of(part))]


def other_arrays_are_refused(case: Case) -> None:
    """An array of another type, rank or size, anywhere in x, dy or s, raises the error that names the layer and it."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    s, info = layer.fwd(p, x).s, layer.info
    heads = {f"{name}: " for name in parts_of(layer)} | ({f"{info.name}: ", f"{info.brief}: "} if info.parts else set())
    for value, spec, what, call in (
        (x, info.takes, "x ", lambda value: layer.fwd(p, value)),
        (dy, info.gives, "dy ", lambda value: layer.bwd(p, s, value, layer.zeros())),
        (s, info.saves, "the saved ", lambda value: layer.bwd(p, value, dy, layer.zeros())),
    ):
        named = isinstance(value, np.ndarray) and value.ndim == 2 and not info.parts
        starts = tuple(head + (what if named else "") for head in heads)
        for place, one in enumerate(array_specs(spec)):
            other_array_is_refused(value, place, one, call, starts)


def other_array_is_refused(value: Any, place: int, spec: Any, call: Callable[[Any], Any], starts: Any) -> None:
    """The call refuses every wrong array in one place of its argument, in words that begin with one of `starts`."""
    array, (types, wanted) = as_lists(value)[place], OTHER_TYPES[spec.kind]
    for wrong in types:
        text = refused(DtypeError, lambda w=wrong: call(replaced(value, place, array.astype(w))), np.dtype(wrong).name)  # type: ignore[misc]
        assert text.startswith(starts)
        assert f".astype(np.{wanted})" in text
    for shape in wrong_shapes(array):
        other = np.zeros(shape, array.dtype)
        text = refused(ShapeError, lambda w=other: call(replaced(value, place, w)), f"must be {spec}", f"{list(shape)}")  # type: ignore[misc]
        assert text.startswith(starts)
    for thing in (array.tolist(), None, 1.0, "x"):
        text = refused(DtypeError, lambda w=thing: call(replaced(value, place, w)), f"got {type(thing).__name__}")  # type: ignore[misc]
        assert text.startswith(starts)


OTHER_TYPES: Final = {
    "Mat": (WRONG_TYPES, "float32"),
    "Ids": (WRONG_IDS, "int64"),
    "Places": (WRONG_PLACES, "int32"),
}
"""The types that each kind of array is refused in, and the one that it has."""


def wrong_shapes(array: Any) -> list[tuple[int, ...]]:
    """Shapes of another rank or size."""
    if array.ndim == 1:
        n = array.shape[0]
        return [(n + 1,), (n, 1), (1, n + 1), ()]
    n, c = array.shape
    return [(n + 1, c), (n, c + 1), (n * c,), (1, n, c), (n, c, 1), (c + 1, n), ()]


def refused(error: type[Exception], call: Callable[[], Any], *texts: str) -> str:
    """The call raises this very class of error; every one of these texts is in its message, which is returned."""
    with pytest.raises(error) as raised:
        call()
    assert type(raised.value) is error
    message = str(raised.value)
    for text in texts:
        assert text in message
    return message


def ids_out_of_range_are_refused(case: Case) -> None:
    """An id or place below 0, or not below its bound, raises IndexRangeError with its position, value and bound.

    Be it in x or in s.
    """
    layer, p, x = case.layer, case.p, case.x()
    s, dy = layer.fwd(p, x).s, case.dy()
    for value, specs, call in (
        (x, layer.info.takes, lambda value: layer.fwd(p, value)),
        (s, layer.info.saves, lambda value: layer.bwd(p, value, dy, layer.zeros())),
    ):
        for place, spec in enumerate(array_specs(specs)):
            if spec.below is None or 0 in spec.shape:
                continue
            position = np.unravel_index(case.seed % math.prod(spec.shape), spec.shape)
            for wrong in (-1, spec.below, -(2**31), 2**31 - 1):
                ids = as_lists(value)[place].copy()
                ids[position] = wrong
                text = f"[{', '.join(map(str, position))}] is {wrong}"
                given = replaced(value, place, ids)
                refused(IndexRangeError, partial(call, given), text, f"{spec.below - 1}")


def empty_batches_are_accepted(case: Case) -> None:
    """No rows in, no rows out; the gradient of the parameters is zero, and adding it keeps every number."""
    empty = case.sized(0)
    layer, p, x, dy = empty.layer, empty.p, empty.x(), empty.dy()
    y, dx, dp = run(layer, p, x, dy)
    assert fits(y, layer.info.gives)
    assert fits(dx, layer.info.takes)
    assert not any(array.any() for array in as_lists(dp))
    g = random_like(layer, case.seed + 1)
    before = snapshot(g)
    layer.bwd(p, layer.fwd(p, x).s, dy, g)
    assert all_same_bits(g, before)


def bits_do_not_depend_on_threads(case: Case) -> None:
    """L69: equal bits at any number of threads, over several chunks and tiles."""
    large = case.enlarged()
    layer, p, x, dy = large.layer, large.p, large.x(), large.dy()
    first, *others = at_every_count(lambda: snapshot(run(layer, p, x, dy)))
    assert all(all_same_bits(first, other) for other in others)


PASSES_CHECKS: Final[tuple[Callable[[Any], None], ...]] = (
    *(obeys(law) for law in (LINEAR, TYPES, ACCUMULATES, PURE, SCALES)),
    results_have_the_declared_types,
    every_layout_gives_equal_bits,
    other_arrays_are_refused,
    ids_out_of_range_are_refused,
    empty_batches_are_accepted,
    bits_do_not_depend_on_threads,
)
