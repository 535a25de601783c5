"""`check_composite`: the checks that every combinator and every wiring layer passes, whatever its input is a tree of.

    test_forks = check_composite(lambda n, c: Fork(LIN(n, c, 3), NB(n, c, 2)))

A layer under test takes and gives matrices, ids, or tuples of them; the checks find the shapes in its specs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings

from bendtorch import (
    Add2,
    Assoc,
    Both,
    Concat,
    Copy,
    Drop,
    Fork,
    Id,
    Mul2,
    Permute,
    Repeat,
    Reshape,
    Residual,
    Split,
    Swap,
    Tie,
)
from bendtorch.combine.wiring import wire
from bendtorch.errors import DtypeError, ShapeError
from bendtorch.layer import Bwd, Fwd, Info, make_layer, matrix, uniform_init
from bendtorch.shapes.guard import guard_ids, guard_mat
from bendtorch.shapes.spec import ids_spec, mat_spec
from tests.support.arrays import (
    LAYOUTS,
    WRONG_IDS,
    WRONG_TYPES,
    all_same_bits,
    as_lists,
    same_bits,
    snapshot,
)
from tests.support.layers import run
from tests.support.models import FIRST, LIN, NB, RELU
from tests.support.params import PARAMS_CHECKS, random_like
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import threads

ADD: Final[Any] = Add2
ASSOC: Final[Any] = Assoc
CONCAT: Final[Any] = Concat
COPY: Final[Any] = Copy
DROP: Final[Any] = Drop
ID: Final[Any] = Id
MUL: Final[Any] = Mul2
PERMUTE: Final[Any] = Permute
RESHAPE: Final[Any] = Reshape
SPLIT: Final[Any] = Split
SWAP: Final[Any] = Swap
MATRIX: Final[Any] = matrix


def lookup(n: Any, v: Any, c: Any) -> Any:
    """Rows of a table of v × c by n ids, which have no gradient: dx is the ids themselves."""
    name = f"Lookup({n}, {v}, {c})"

    def fwd(p: Any, x: Any) -> Any:
        ids = guard_ids(x, n, name, "ids")
        return Fwd(p[ids], ids)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        apart = np.zeros((v, c), np.float32)
        np.add.at(apart, s, guard_mat(dy, (n, c), name, "dy"))
        g += apart
        return Bwd(s, g)

    info = Info("Lookup", {"n": n, "v": v, "c": c}, ids_spec(n), mat_spec(n, c), ids_spec(n))
    return make_layer(MATRIX(v, c, "table", uniform_init(1.0)), fwd, bwd, info)


def first_of(n: Any, c: Any) -> Any:
    """(x, ()) becomes x: what a copy whose other half was dropped leaves."""
    spec: Any = mat_spec(n, c)
    return wire("First", {"n": n, "c": c}, (spec, ()), spec, lambda x: x[0], lambda dy: (dy, ()))


def everything(n: int) -> Any:
    """A model with every combinator and every wiring layer, from n × 6 to n × 4."""
    block = Residual(Repeat(2, LIN(n, 4, 4) >> RELU(n, 4)))
    tied = Tie(NB(n, 4, 4), RELU(n, 4), NB(n, 4, 4))
    gated = Fork(LIN(n, 4, 4), tied) >> SWAP(n, 4, 4) >> MUL(n, 4)
    kept = COPY(n, 4) >> Both(ID(n, 4), DROP(n, 4)) >> first_of(n, 4)
    three = Fork(Fork(ID(n, 4), RELU(n, 4)), NB(n, 4, 2)) >> ASSOC(n, 4, 4, 2) >> Both(ID(n, 4), CONCAT(n, 4, 2))
    halves = Both(ID(n, 4), NB(n, 6, 4)) >> ADD(n, 4) >> SPLIT(n, 1, 3) >> CONCAT(n, 1, 3)
    regrouped = RESHAPE(n, 4, n * 2, 2) >> PERMUTE(n, 2, 2) >> PERMUTE(2, n, 2) >> RESHAPE(n * 2, 2, n, 4)
    return FIRST(n, 6, 4) >> block >> gated >> kept >> three >> halves >> regrouped >> LIN(n, 4, 4)


def drawn(spec: Any, seed: int, whole: bool = False) -> Any:
    """Arrays of a spec, in a tree of tuples like it.

    Normally distributed, or small whole numbers, whose sums of products are exact; ids are 0 or 1.
    """
    return _drawn(spec, np.random.default_rng(seed), whole)


def _drawn(spec: Any, generator: Any, whole: bool) -> Any:
    if isinstance(spec, tuple):
        return tuple(_drawn(part, generator, whole) for part in spec)
    if spec.kind == "Ids":
        return generator.integers(0, 2, spec.shape)
    if whole:
        return generator.integers(-3, 4, spec.shape).astype(np.float32)
    return generator.standard_normal(spec.shape, dtype=np.float32)


def whole_params(layer: Any, seed: int) -> Any:
    """Parameters of the layer that are small whole numbers."""
    p = layer.zeros()
    layer.load(p, np.random.default_rng(seed).integers(-2, 3, layer.count()).astype(np.float32), 0)
    return p


def wide(value: Any) -> Any:
    """A tree of arrays as float64."""
    return mapped(lambda array: array.astype(np.float64), value)


def mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """A tree of tuples and records with `change` applied to each array."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, tuple):
        return tuple(mapped(change, part) for part in value)
    return type(value)(*(mapped(change, getattr(value, name)) for name in type(value).__slots__))


def replaced(value: Any, place: int, array: Any) -> Any:
    """A tree with another array in the place of its array number `place`."""
    counter = iter(range(len(as_lists(value))))
    return mapped(lambda old: array if next(counter) == place else old, value)


def equals_wide(actual: Any, expected: Any) -> bool:
    """Whether float32 arrays hold exactly these float64 numbers, in the same tree."""
    if isinstance(expected, tuple):
        same_length = isinstance(actual, tuple) and len(actual) == len(expected)
        return same_length and all(map(equals_wide, actual, expected))
    narrow = np.asarray(expected, np.float64)
    return bool(actual.dtype == np.float32 and actual.shape == narrow.shape and np.array_equal(actual, narrow))


@dataclass(frozen=True)
class Composite:
    """A layer of drawn sizes, with parameters and arrays for it."""

    build: Callable[..., Any]
    n: int
    c: int
    seed: int

    @property
    def layer(self) -> Any:
        """The layer."""
        return self.build(self.n, self.c)

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """Parameters, an input and a gradient of the output."""
        layer = self.layer
        return (
            random_like(layer, self.seed),
            drawn(layer.info.takes, self.seed + 1),
            drawn(layer.info.gives, self.seed + 2),
        )


def results_have_the_declared_types(case: Composite) -> None:
    """L25 and L51: y and dx are trees of the declared shapes; dp is written into the arrays that were given."""
    layer, (p, x, dy) = case.layer, case.arrays
    g = layer.zeros()
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, g)
    assert fits(forward.y, layer.info.gives)
    assert fits(backward.dx, layer.info.takes)
    assert layer.info.saves is None or fits(forward.s, layer.info.saves)
    assert all(a is b for a, b in zip(as_lists(backward.g), as_lists(g), strict=True))


def fits(value: Any, spec: Any) -> bool:
    """Whether a value is the tree of arrays that a spec says."""
    if isinstance(spec, tuple):
        return type(value) is tuple and len(value) == len(spec) and all(map(fits, value, spec))
    kinds = {"Mat": ("float32",), "Ids": ("int32", "int64")}[spec.kind]
    return type(value) is np.ndarray and value.shape == spec.shape and str(value.dtype) in kinds


def passes_are_pure(case: Composite) -> None:
    """L33: neither pass changes p, x, s or dy; a second call gives equal bits and leaves the first's results."""
    layer, given_arrays = case.layer, case.arrays
    p, x, dy = given_arrays
    kept = snapshot(given_arrays)
    forward = layer.fwd(p, x)
    saved = snapshot((forward.y, forward.s))
    first = layer.bwd(p, forward.s, dy, layer.zeros())
    results = snapshot((first.dx, first.g))
    again = layer.fwd(p, x)
    second = layer.bwd(p, forward.s, dy, layer.zeros())
    assert all_same_bits((forward.y, forward.s), saved)
    assert all_same_bits((again.y, again.s), saved)
    assert all_same_bits((first.dx, first.g), results)
    assert all_same_bits((second.dx, second.g), results)
    assert all_same_bits(given_arrays, kept)


def accumulation_adds_apart(case: Composite) -> None:
    """L32: bwd into g has the bits of g + (bwd into zeros), call after call; a tied parameter's uses add one by one."""
    layer, (p, x, dy) = case.layer, case.arrays
    equal = nearly if "Tie" in str(layer) else same_bits
    g = random_like(layer, case.seed + 5)
    expected = [array.copy() for array in as_lists(g)]
    for call in range(3):
        dy = drawn(layer.info.gives, case.seed + 10 + call)
        s = layer.fwd(p, x).s
        apart = layer.bwd(p, s, dy, layer.zeros()).g
        layer.bwd(p, s, dy, g)
        expected = [total + added for total, added in zip(expected, as_lists(apart), strict=True)]
        assert all(map(equal, as_lists(g), expected))


def nearly(a: Any, b: Any) -> bool:
    """Equal up to the rounding of a few sums."""
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-6 * np.abs(b).max(initial=1)))


def every_layout_gives_equal_bits(case: Composite) -> None:
    """Every way that numpy can lay out a matrix is accepted for x, p, s and dy, at every place of their trees."""
    layer, (p, x, dy) = case.layer, case.arrays
    expected = snapshot(run(layer, p, x, dy))
    s = layer.fwd(p, x).s
    for lay_out in LAYOUTS.values():
        # ids are vectors: only some layouts make sense for them
        def changed(value: Any, lay_out: Any = lay_out) -> Any:
            return mapped(lambda array: lay_out(array) if array.ndim == 2 else array, value)

        assert all_same_bits(run(layer, changed(p), changed(x), changed(dy)), expected)
        backward = layer.bwd(p, changed(s), dy, layer.zeros())
        assert all_same_bits((backward.dx, backward.g), expected[1:])


def parts_of(layer: Any) -> list[str]:
    """The layers inside of a layer, at any depth, and itself, as they are written."""
    return [str(layer), *(name for part in layer.info.parts for name in parts_of(part))]


def other_arrays_are_refused(case: Composite) -> None:
    """An array of another type, rank or size, anywhere in x or dy, raises the error that names the layer and it."""
    layer, (p, x, dy) = case.layer, case.arrays
    s = layer.fwd(p, x).s
    heads = tuple(f"{name}: " for name in (*parts_of(layer), layer.info.name))
    calls: tuple[tuple[Any, Any], ...] = (
        (x, lambda value: layer.fwd(p, value)),
        (dy, lambda value: layer.bwd(p, s, value, layer.zeros())),
    )
    for value, call in calls:
        for place, array in enumerate(as_lists(value)):
            for wrong in WRONG_TYPES if array.ndim == 2 else WRONG_IDS:
                message = message_of(DtypeError, call, replaced(value, place, array.astype(wrong)))
                assert message.startswith(heads)
                assert np.dtype(wrong).name in message
            for shape in wrong_shapes(array):
                message = message_of(ShapeError, call, replaced(value, place, np.zeros(shape, array.dtype)))
                assert message.startswith(heads)
                assert f"got an array of shape {list(shape)}" in message
                assert " must be " in message
            message = message_of(DtypeError, call, replaced(value, place, array.tolist()))
            assert message.startswith(heads)
            assert "got list" in message


def wrong_shapes(array: Any) -> list[tuple[int, ...]]:
    """Shapes of another rank or size."""
    if array.ndim == 1:
        n = array.shape[0]
        return [(n + 1,), (n, 1), (1, n + 1), ()]
    n, c = array.shape
    return [(n + 1, c), (n, c + 1), (n * c,), (1, n, c), (n, c, 1), ()]


def message_of(error: type[Exception], call: Callable[[Any], Any], value: Any) -> str:
    """The text of the error that the call raises, which is of this very class."""
    with pytest.raises(error) as raised:
        call(value)
    assert type(raised.value) is error
    return str(raised.value)


def empty_batches_are_accepted(case: Composite) -> None:
    """No rows in, no rows out; the gradient of the parameters is zero, and adding it keeps every number."""
    empty = Composite(case.build, 0, case.c, case.seed)
    layer, (p, x, dy) = empty.layer, empty.arrays
    y, dx, dp = run(layer, p, x, dy)
    assert fits(y, layer.info.gives)
    assert fits(dx, layer.info.takes)
    assert not any(array.any() for array in as_lists(dp))
    g = random_like(layer, case.seed + 1)
    before = snapshot(g)
    layer.bwd(p, layer.fwd(p, x).s, dy, g)
    assert all_same_bits(g, before)


def bits_do_not_depend_on_threads(case: Composite) -> None:
    """L69: equal bits at one and two threads, over several chunks and tiles."""
    large = Composite(case.build, shrunk(260, 5), shrunk(150, 3), case.seed)
    layer, (p, x, dy) = large.layer, large.arrays
    results = []
    for count in (1, 2):
        with threads(count):
            results.append(snapshot(run(layer, p, x, dy)))
    assert all_same_bits(*results)


def description_is_of_its_parts(case: Composite) -> None:
    """The input gradient is there when every part has one; the text names every part."""
    layer = case.layer
    assert layer.info.input_gradient == all(part.info.input_gradient for part in layer.info.parts)
    assert all(str(part) in str(layer) for part in layer.info.parts)


COMPOSITE_CHECKS: Final[tuple[Callable[[Composite], None], ...]] = (
    results_have_the_declared_types,
    passes_are_pure,
    accumulation_adds_apart,
    every_layout_gives_equal_bits,
    other_arrays_are_refused,
    empty_batches_are_accepted,
    bits_do_not_depend_on_threads,
    description_is_of_its_parts,
)

EXAMPLES: Final = {"bits_do_not_depend_on_threads": 2, "other_arrays_are_refused": 10, "check_step": 10}


def check_composite(*builds: Callable[..., Any]) -> Callable[..., None]:
    """A test that runs every check on each of `build(n, c)`, layers of any n rows and a width of c."""
    checks: dict[str, Callable[[Composite], None]] = {check.__name__: check for check in COMPOSITE_CHECKS}
    checks |= {check.__name__: _on_params(check) for check in PARAMS_CHECKS}

    @pytest.mark.parametrize("name", checks)
    @pytest.mark.parametrize("build", builds, ids=[str(build(2, 3)) for build in builds])
    def test(name: str, build: Callable[..., Any]) -> None:
        @settings(max_examples=EXAMPLES.get(name, 15))
        @given(n=rows, c=widths, seed=seeds)
        def on_cases(n: int, c: int, seed: int) -> None:
            checks[name](Composite(build, n, c, seed))

        on_cases()

    marked: Callable[..., None] = test
    return marked


def _on_params(check: Callable[[Any, int], None]) -> Callable[[Composite], None]:
    return lambda case: check(case.layer, case.seed)
