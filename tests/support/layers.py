"""`check_layer`: the checks that every layer passes, one line for each layer.

    test_linear = check_layer(Linear, 2, references.LINEAR)

Every check draws sizes and a seed, builds the layer, and judges it by its float64 reference, by a law, or by the table
of edge values. A new check here is a check of every layer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.keys import Key
from tests.support.arrays import (
    LAYOUTS,
    WRONG_TYPES,
    all_same_bits,
    as_lists,
    broadcast_row,
    numbers,
    same_bits,
    snapshot,
)
from tests.support.params import PARAMS_CHECKS, random_like
from tests.support.references import F64, Gradients, Reference
from tests.support.sizes import rows, seeds, shrunk, widths
from tests.support.threads import at_every_count


@dataclass(frozen=True)
class Case:
    """A layer of drawn sizes, random parameters and arrays for it."""

    factory: Callable[..., Any]
    reference: Reference
    n: int
    widths: tuple[int, ...]
    seed: int

    @property
    def layer(self) -> Any:
        """The layer."""
        return self.factory(self.n, *self.widths)

    @property
    def p(self) -> Any:
        """Parameters of it."""
        return random_like(self.layer, self.seed)

    def x(self, more: int = 0) -> Any:
        """An input."""
        return numbers(self.seed + 10 + more, *self.layer.info.takes.shape)

    def dy(self, more: int = 0) -> Any:
        """A gradient of the output, of small whole numbers: sums of a few are exact."""
        generator = np.random.default_rng(self.seed + 20 + more)
        return generator.integers(-8, 9, self.layer.info.gives.shape).astype(np.float32)

    def gradients(self, p: Any, x: Any, dy: Any) -> Gradients:
        """The gradients in float64, with their bounds."""
        return self.reference.backward(wide(p), x.astype(np.float64), dy.astype(np.float64))


def wide(p: Any) -> tuple[F64, ...]:
    """Parameters as float64."""
    return tuple(array.astype(np.float64) for array in as_lists(p))


def run(layer: Any, p: Any, x: Any, dy: Any) -> tuple[Any, Any, Any]:
    """Both passes into a zero gradient: y, dx, dp."""
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    return forward.y, backward.dx, backward.g


def forward_matches_float64(case: Case) -> None:
    """Every number of y is within the bound of float32 arithmetic."""
    p, x = case.p, case.x()
    y = case.layer.fwd(p, x).y
    assert case.reference.forward(wide(p), x.astype(np.float64)).holds(y)


def backward_matches_float64(case: Case) -> None:
    """So is every number of dx and dp."""
    layer, p, x, dy = case.layer, case.p, case.x(), numbers(case.seed, *case.layer.info.gives.shape)
    _, dx, dp = run(layer, p, x, dy)
    expected = case.gradients(p, x, dy)
    assert expected.dx.holds(dx)
    assert len(as_lists(dp)) == len(expected.dp)
    assert all(bounded.holds(actual) for bounded, actual in zip(expected.dp, as_lists(dp), strict=True))


def backward_is_linear_in_dy(case: Case) -> None:
    """L24: B(d + e) = B(d) + B(e) within the bounds, B(0) = 0 exactly; L35: B(2^k d) = 2^k B(d) exactly."""
    layer, p, x, d, e = case.layer, case.p, case.x(), case.dy(), case.dy(1)
    results = [run(layer, p, x, dy)[1:] for dy in (d, e, d + e)]
    one, two, both = [[dx, *as_lists(dp)] for dx, dp in results]
    bounds = [[b.dx.bound, *(g.bound for g in b.dp)] for b in (case.gradients(p, x, dy) for dy in (d, e, d + e))]
    for i, total in enumerate(both):
        error = np.abs(total.astype(np.float64) - one[i].astype(np.float64) - two[i].astype(np.float64))
        assert np.all(error <= bounds[0][i] + bounds[1][i] + bounds[2][i])
    _, dx, dp = run(layer, p, x, np.zeros_like(d))
    assert not any(array.any() for array in (dx, *as_lists(dp)))
    for power in (-3, 5):
        factor = np.float32(2.0**power)
        _, dx, dp = run(layer, p, x, d * factor)
        assert all(same_bits(a, b * factor) for a, b in zip((dx, *as_lists(dp)), one, strict=True))


def gradients_have_the_types_of_values(case: Case) -> None:
    """L25 and L51: y, dx and dp are float32 arrays of the declared shapes; dp is the gradient that was given."""
    layer, p, x, g = case.layer, case.p, case.x(), case.layer.zeros()
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, case.dy(), g)
    for array, shape in ((forward.y, layer.info.gives.shape), (backward.dx, x.shape)):
        assert type(array) is np.ndarray
        assert array.dtype == np.float32
        assert array.shape == shape
    assert type(backward.g) is type(g)
    assert all(a is b for a, b in zip(as_lists(backward.g), as_lists(g), strict=True))
    assert [a.shape for a in as_lists(backward.g)] == [a.shape for a in as_lists(p)]
    assert [a.shape for a in as_lists(forward.s)] == [layer.info.saves.shape]


def backward_of_linear_layers_ignores_x(case: Case) -> None:
    """L29, where the layer is linear: dx has the same bits for any saved input."""
    layer, p, dy = case.layer, case.p, case.dy()
    one, two = run(layer, p, case.x(), dy)[1], run(layer, p, case.x(1), dy)[1]
    assert same_bits(one, two) or not case.reference.linear


def splitting_the_batch_adds_gradients(case: Case) -> None:
    """L31 and L52: rows do not see each other, and dp of a batch is the sum over its parts, within the bounds."""
    p, x, dy, cut = case.p, case.x(), case.dy(), case.n // 3
    y, dx, dp = run(case.layer, p, x, dy)
    y_bound = case.reference.forward(wide(p), x.astype(np.float64)).bound
    whole = case.gradients(p, x, dy)
    totals = [np.zeros(array.shape) for array in as_lists(dp)]
    slack = [2 * g.bound for g in whole.dp]
    for part in (slice(0, cut), slice(cut, case.n)):
        layer = case.factory(len(x[part]), *case.widths)
        part_y, part_dx, part_dp = run(layer, p, x[part], dy[part])
        assert np.all(np.abs(part_y - y[part]) <= 2 * y_bound[part])
        assert np.all(np.abs(part_dx - dx[part]) <= 2 * whole.dx.bound[part])
        totals = [total + g for total, g in zip(totals, as_lists(part_dp), strict=True)]
    for total, actual, bound in zip(totals, as_lists(dp), slack, strict=True):
        assert np.all(np.abs(total - actual) <= bound)


def accumulation_adds_apart(case: Case) -> None:
    """L32: bwd into g has the bits of g + (bwd into zeros), also call after call."""
    layer, p, g = case.layer, case.p, random_like(case.layer, case.seed + 5)
    expected = [array.copy() for array in as_lists(g)]
    for call in range(3):
        x, dy = case.x(call), numbers(case.seed + call, *layer.info.gives.shape)
        s = layer.fwd(p, x).s
        apart = layer.bwd(p, s, dy, layer.zeros()).g
        layer.bwd(p, s, dy, g)
        expected = [total + added for total, added in zip(expected, as_lists(apart), strict=True)]
        assert all(map(same_bits, as_lists(g), expected))


def passes_are_pure(case: Case) -> None:
    """L33: neither pass changes p, x, s or dy; a second call gives equal bits; y is nobody else's memory."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    kept = snapshot((p, x, dy))
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
    assert all_same_bits((p, x, dy), kept)
    assert not any(np.shares_memory(forward.y, array) for array in (x, dy, *as_lists(p), again.y))


def every_layout_gives_equal_bits(case: Case) -> None:
    """Fortran order, strides, slices, read-only, unaligned and foreign arrays are accepted for x, p, s and dy."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    s = layer.fwd(p, x).s
    expected = snapshot(run(layer, p, x, dy))
    for laid_out in LAYOUTS.values():
        other = rebuilt(layer, [laid_out(array) for array in as_lists(p)])
        assert all_same_bits(run(layer, other, laid_out(x), laid_out(dy)), expected)
        backward = layer.bwd(p, laid_out(s), dy, layer.zeros())
        assert all_same_bits((backward.dx, backward.g), expected[1:])
    if case.n:
        row_x, row_dy = broadcast_row(x), broadcast_row(dy)
        assert all_same_bits(run(layer, p, row_x, row_dy), run(layer, p, row_x.copy(), row_dy.copy()))


def rebuilt(layer: Any, matrices: list[Any]) -> Any:
    """Parameters of the layer's type from these matrices."""
    p = layer.zeros()
    if isinstance(p, np.ndarray):
        return matrices[0]
    return type(p)(*matrices) if matrices else p


def refused(error: type[Exception], call: Callable[[], Any], *texts: str) -> None:
    """The call raises `error` with every one of these texts in its message."""
    with pytest.raises(error) as raised:
        call()
    assert type(raised.value) is error
    for text in texts:
        assert text in str(raised.value)


def other_types_are_refused(case: Case) -> None:
    """Arrays that are not native float32, and values that are not arrays, raise DtypeError and say what to do."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    s = layer.fwd(p, x).s
    for wrong in WRONG_TYPES:
        name, hint = np.dtype(wrong).name, "astype(np.float32)"
        refused(DtypeError, lambda w=wrong: layer.fwd(p, x.astype(w)), f"{layer}: x ", name, f"x.{hint}")  # type: ignore[misc]
        refused(DtypeError, lambda w=wrong: layer.bwd(p, s, dy.astype(w), layer.zeros()), f"{layer}: dy ", name)  # type: ignore[misc]
        refused(DtypeError, lambda w=wrong: layer.bwd(p, s.astype(w), dy, layer.zeros()), f"{layer}: the saved ", name)  # type: ignore[misc]
        for place, leaf in enumerate(layer.leaves):
            matrices = as_lists(p)
            matrices[place] = matrices[place].astype(wrong)
            q = rebuilt(layer, matrices)
            refused(DtypeError, lambda q=q: layer.fwd(q, x), f"{layer}: {leaf.name} ", name)  # type: ignore[misc]
    for value in (x.tolist(), None, 1.0, "x"):
        refused(DtypeError, lambda v=value: layer.fwd(p, v), f"{layer}: x ", type(value).__name__)  # type: ignore[misc]


def other_sizes_are_refused(case: Case) -> None:
    """Another rank or size raises ShapeError with the layer, the argument, what is wanted and what came."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    s = layer.fwd(p, x).s
    for array, call, what in (
        (x, lambda a: layer.fwd(p, a), "x "),
        (dy, lambda a: layer.bwd(p, s, a, layer.zeros()), "dy "),
        (s, lambda a: layer.bwd(p, a, dy, layer.zeros()), "the saved "),
    ):
        n, c = array.shape
        want = f"must be Mat[{n}, {c}]"
        for shape in ((n + 1, c), (n, c + 1), (n * c,), (1, n, c), (n, c, 1), (c + 1, n), ()):
            wrong = np.zeros(shape, np.float32)
            refused(ShapeError, lambda call=call, w=wrong: call(w), f"{layer}: {what}", want, f"{list(shape)}")  # type: ignore[misc]


def parameters_of_other_sizes_are_refused(case: Case) -> None:
    """So do parameters and gradients of a wider layer; a refused gradient is not changed."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    s = layer.fwd(p, x).s
    for place, leaf in enumerate(layer.leaves):
        matrices = as_lists(p)
        matrices[place] = np.zeros((leaf.shape[0] + 1, leaf.shape[1]), np.float32)
        wrong, want = rebuilt(layer, matrices), f"must be Mat[{leaf.shape[0]}, {leaf.shape[1]}]"
        before = snapshot(wrong)
        refused(ShapeError, lambda w=wrong: layer.fwd(w, x), f"{layer}: {leaf.name} ", want)  # type: ignore[misc]
        refused(ShapeError, lambda w=wrong: layer.bwd(p, s, dy, w), f"{layer}: the gradient", want)  # type: ignore[misc]
        refused(ShapeError, lambda w=wrong: layer.dump(w), leaf.name, want)  # type: ignore[misc]
        assert all_same_bits(wrong, before)


def unwritable_gradients_are_refused(case: Case) -> None:
    """A gradient that cannot be added to in place is refused before anything is written into any part of it."""
    layer, p, dy = case.layer, case.p, case.dy(1)
    s = layer.fwd(p, case.x()).s
    for name in ("read-only", "negative strides", "sliced", "unaligned"):
        for place in range(len(layer.leaves)):
            matrices = as_lists(random_like(layer, case.seed))
            matrices[place] = LAYOUTS[name](matrices[place])
            if matrices[place].flags.carray:  # one number lies the same in every order
                continue
            g = rebuilt(layer, matrices)
            before = snapshot(g)
            refused(ShapeError, lambda g=g: layer.bwd(p, s, dy, g), f"{layer}: the gradient", "written in place")  # type: ignore[misc]
            assert all_same_bits(g, before)


def pickled_gradients_are_accepted(case: Case) -> None:
    """A gradient that was pickled (from another process) is as good as any: its dtype is only equal to float32."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    g = rebuilt(layer, [LAYOUTS["pickled"](array) for array in as_lists(layer.zeros())])
    backward = layer.bwd(p, layer.fwd(p, x).s, dy, g)
    assert all_same_bits(backward.g, run(layer, p, x, dy)[2])


def nan_and_infinity_propagate(case: Case) -> None:
    """NaN and infinities appear exactly where float64 has them, in both passes, and never vanish."""
    layer = case.layer
    generator = np.random.default_rng(case.seed)

    def spoiled(array: Any) -> Any:
        special = generator.choice(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32), array.shape)
        return np.where(generator.random(array.shape) < 0.1, special, array).astype(np.float32)

    p, x, dy = rebuilt(layer, [spoiled(a) for a in as_lists(case.p)]), spoiled(case.x()), spoiled(case.dy())
    with np.errstate(all="ignore"):
        y, dx, dp = run(layer, p, x, dy)
        forward = case.reference.forward(wide(p), x.astype(np.float64))
        expected = case.gradients(p, x, dy)
        pairs = [(y, forward), (dx, expected.dx), *zip(as_lists(dp), expected.dp, strict=True)]
        for actual, bounded in pairs:
            assert np.array_equal(np.isnan(actual), np.isnan(bounded.value))
            infinite = np.isinf(bounded.value)
            assert np.array_equal(actual[infinite].astype(np.float64), bounded.value[infinite])
            assert np.all(np.isfinite(actual[np.isfinite(bounded.value)]))


def empty_batches_are_accepted(case: Case) -> None:
    """No rows in, no rows out; the gradient of the parameters is zero, and adding it keeps every number."""
    layer = case.factory(0, *case.widths)
    p, g = random_like(layer, case.seed), random_like(layer, case.seed + 1)
    x, dy = np.empty(layer.info.takes.shape, np.float32), np.empty(layer.info.gives.shape, np.float32)
    y, dx, dp = run(layer, p, x, dy)
    assert y.shape == dy.shape
    assert dx.shape == x.shape
    assert not any(array.any() for array in as_lists(dp))
    before = snapshot(g)
    layer.bwd(p, layer.fwd(p, x).s, dy, g)
    assert all_same_bits(g, before)


def impossible_sizes_are_refused(case: Case) -> None:
    """Rows below 0, other sizes below 1, and sizes that are not ints raise ShapeError when the layer is built."""
    name, sizes = case.layer.info.name, (case.n, *case.widths)
    for place, wrong in ((0, -1), *((i, w) for i in range(1, len(sizes)) for w in (0, -1))):
        changed = (*sizes[:place], wrong, *sizes[place + 1 :])
        refused(ShapeError, lambda c=changed: case.factory(*c), f"{name}(", "must be at least", f"got {wrong}")  # type: ignore[misc]
    other_types: tuple[Any, ...] = (2.0, "2", None, True)
    for place in range(len(sizes)):
        for wrong_type in other_types:
            altered = (*sizes[:place], wrong_type, *sizes[place + 1 :])
            refused(ShapeError, lambda c=altered: case.factory(*c), f"{name}(", "must be an int")  # type: ignore[misc]


def bits_do_not_depend_on_threads(case: Case) -> None:
    """L69, with several tiles and chunks."""
    size = shrunk(300, 12)
    large = Case(case.factory, case.reference, size + case.n, tuple(size for _ in case.widths), case.seed)
    layer, p, x, dy = large.layer, large.p, large.x(), numbers(case.seed, *large.layer.info.gives.shape)
    first, *others = at_every_count(lambda: snapshot(run(layer, p, x, dy)))
    assert all(all_same_bits(first, other) for other in others)
    y, dx, dp = first
    expected = large.gradients(p, x, dy)
    assert large.reference.forward(wide(p), x.astype(np.float64)).holds(y)
    assert expected.dx.holds(dx)
    assert all(bounded.holds(actual) for bounded, actual in zip(expected.dp, as_lists(dp), strict=True))


def describes_itself(case: Case) -> None:
    """The name and the sizes stand in the text of the layer, as the call that built it."""
    layer = case.layer
    assert str(layer) == f"{layer.info.name}({', '.join(map(str, (case.n, *case.widths)))})"
    assert tuple(layer.info.sizes.values()) == (case.n, *case.widths)
    assert layer.info.input_gradient == case.reference.input_gradient
    assert layer.init(Key(case.seed)) is not None


LAYER_CHECKS: Final[tuple[Callable[[Case], None], ...]] = (
    forward_matches_float64,
    backward_matches_float64,
    backward_is_linear_in_dy,
    gradients_have_the_types_of_values,
    backward_of_linear_layers_ignores_x,
    splitting_the_batch_adds_gradients,
    accumulation_adds_apart,
    passes_are_pure,
    every_layout_gives_equal_bits,
    other_types_are_refused,
    other_sizes_are_refused,
    parameters_of_other_sizes_are_refused,
    unwritable_gradients_are_refused,
    pickled_gradients_are_accepted,
    nan_and_infinity_propagate,
    empty_batches_are_accepted,
    impossible_sizes_are_refused,
    bits_do_not_depend_on_threads,
    describes_itself,
)


FEW: Final = frozenset({"bits_do_not_depend_on_threads"})  # slow where threads are more than processors


def check_layer(factory: Callable[..., Any], sizes: int, reference: Reference) -> Callable[..., None]:
    """A test that runs every check on `factory(n, *widths)`, a layer of `sizes` widths beside its rows."""
    checks = {check.__name__: check for check in LAYER_CHECKS} | {c.__name__: _on_params(c) for c in PARAMS_CHECKS}

    @pytest.mark.parametrize("name", checks)
    def test(name: str) -> None:
        @settings(max_examples=5 if name in FEW else settings.default.max_examples)  # type: ignore[union-attr]
        @given(n=rows, sides=st.tuples(*[widths] * sizes), seed=seeds)
        def on_cases(n: int, sides: tuple[int, ...], seed: int) -> None:
            checks[name](Case(factory, reference, n, sides, seed))

        on_cases()

    return test


def _on_params(check: Callable[[Any, int], None]) -> Callable[[Case], None]:
    """A check of a layer's parameters as a check of a case."""
    return lambda case: check(case.layer, case.seed)
