"""`check_layer`: the checks that every layer passes, one line for each layer.

    test_linear = check_layer(Linear, 2, references.LINEAR)
    test_norm = check_layer(RMSNorm, 1, references.rms_norm, eps=(1e-5, 1.0))
    test_attention = check_layer(Attention, st.tuples(...), references.attention, large=(3, 65, 2, 2, 16))

Every check draws sizes and a seed, builds the layer, and judges it by its float64 reference, by a law, or by the table
of edge values. What a layer takes, gives and saves may be any nest of matrices and ids; its specs say which. A new
check here, in `passes` or in `params` is a check of every layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bendtorch.errors import DtypeError, ShapeError
from bendtorch.keys import Key
from bendtorch.laws.gradients import SPLITS
from bendtorch.laws.trial import batch_share
from tests.support.arrays import LAYOUTS, WRONG_TYPES, all_same_bits, as_lists, snapshot
from tests.support.nests import mapped, replaced, wide
from tests.support.params import PARAMS_CHECKS, random_like
from tests.support.passes import PASSES_CHECKS, Case, numbers_in, obeys, refused, run
from tests.support.references import Gradients, Reference, bounded_in
from tests.support.sizes import rows, seeds, widths

Judge: TypeAlias = Reference | Callable[..., Reference]
"""A reference, or a function of the layer's sizes and options that gives it."""

SPECIAL: Final = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)


@dataclass(frozen=True, kw_only=True)
class JudgedCase(Case):
    """A layer of drawn sizes and the judge of its numbers."""

    judge: Judge

    @property
    def reference(self) -> Reference:
        """The reference of these sizes."""
        return self.judge if isinstance(self.judge, Reference) else self.judge(self.n, *self.widths, **self.options)

    def outputs(self, p: Any, x: Any) -> list[Any]:
        """The output's arrays in float64, with their bounds."""
        return bounded_in(self.reference.forward(tuple(as_lists(wide(p))), wide(x)))

    def gradients(self, p: Any, x: Any, dy: Any) -> Gradients:
        """The gradients in float64, with their bounds."""
        return self.reference.backward(tuple(as_lists(wide(p))), wide(x), wide(dy))


def hold(expected: list[Any], actual: Any) -> bool:
    """Whether the numbers in a nest are, in order, within the bounds of float64 ones."""
    return all(bounded.holds(array) for bounded, array in zip(expected, numbers_in(actual), strict=True))


def forward_matches_float64(case: JudgedCase) -> None:
    """Every number of y is within the bound of float32 arithmetic."""
    p, x = case.p, case.x()
    assert hold(case.outputs(p, x), case.layer.fwd(p, x).y)


def backward_matches_float64(case: JudgedCase) -> None:
    """So is every number of dx and dp."""
    p, x, dy = case.p, case.x(), case.dy()
    assert hold(case.gradients(p, x, dy).all, run(case.layer, p, x, dy)[1:])


def large_sizes_match_float64(case: JudgedCase) -> None:
    """So are both passes over several chunks and tiles."""
    large = case.enlarged()
    p, x, dy = large.p, large.x(), large.dy()
    y, dx, dp = run(large.layer, p, x, dy)
    assert hold(large.outputs(p, x), y)
    assert hold(large.gradients(p, x, dy).all, (dx, dp))


def backward_of_linear_layers_ignores_x(case: JudgedCase) -> None:
    """L29, where the layer is linear: dx has the same bits for any saved input."""
    if case.reference.linear:
        layer, p, dy = case.layer, case.p, case.dy()
        one, two = (numbers_in(run(layer, p, case.x(more), dy)[1]) for more in (0, 1))
        assert all_same_bits(one, two)


def splitting_the_batch_adds_gradients(case: JudgedCase) -> None:
    """L31 and L52, where elements do not see each other."""
    if case.reference.by_element:
        obeys(SPLITS)(case)


def outputs_are_memory_of_their_own(case: JudgedCase) -> None:
    """L33: y is nobody else's memory, so that whoever writes into it changes nothing of ours."""
    layer, p, x = case.layer, case.p, case.x()
    y, again = layer.fwd(p, x).y, layer.fwd(p, x).y
    others = (*as_lists(x), *as_lists(p), *as_lists(again))
    shared = any(np.shares_memory(one, other) for one in as_lists(y) for other in others)
    assert not shared or not case.reference.fresh


def nan_and_infinity_propagate(case: JudgedCase) -> None:
    """NaN and infinities appear exactly where float64 has them, in both passes, and never vanish."""
    if not case.reference.special:
        return
    generator = np.random.default_rng(case.seed)

    def spoiled(array: Any) -> Any:
        if array.dtype.kind != "f":
            return array
        return np.where(generator.random(array.shape) < 0.1, generator.choice(SPECIAL, array.shape), array)

    p, x, dy = (mapped(spoiled, value) for value in (case.p, case.x(), case.dy()))
    with np.errstate(all="ignore"):
        y, dx, dp = run(case.layer, p, x, dy)
        assert hold(case.outputs(p, x), y)
        assert hold(case.gradients(p, x, dy).all, (dx, dp))


def nan_and_infinity_stay_in_their_element(case: JudgedCase) -> None:
    """NaN or infinity at any place of x or dy leaves the bits of every other element of the batch as they were."""
    if case.n == 0 or not case.reference.by_element:
        return
    p, x, dy, n = case.p, case.x(), case.dy(), case.n
    y, dx, _ = run(case.layer, p, x, dy)
    before, generator = (*as_lists(y), *numbers_in(dx)), np.random.default_rng(case.seed)
    places = [(i, j) for i, array in enumerate(numbers_in((x, dy))) for j in range(array.size)]
    for i, j in generator.permutation(places)[:12]:
        given = [array.copy() for array in numbers_in((x, dy))]
        given[i].reshape(-1)[j] = generator.choice(SPECIAL[:3])
        element = j // given[i].shape[1] * n // len(given[i])
        others = iter(given)
        spoiled_x, spoiled_dy = mapped(lambda a, o=others: next(o) if a.dtype.kind == "f" else a, (x, dy))  # type: ignore[misc]
        with np.errstate(all="ignore"):
            y, dx, _ = run(case.layer, p, spoiled_x, spoiled_dy)
        after = (*as_lists(y), *numbers_in(dx))
        for start, stop in ((0, element), (element + 1, n)):
            assert all_same_bits(batch_share(after, n, start, stop), batch_share(before, n, start, stop))


def parameters_of_other_sizes_are_refused(case: JudgedCase) -> None:
    """Parameters and gradients of a wider layer raise ShapeError; a refused gradient is not changed."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    s = layer.fwd(p, x).s
    for place, leaf in enumerate(layer.leaves):
        wrong = replaced(p, place, np.zeros((leaf.shape[0] + 1, leaf.shape[1]), np.float32))
        want, before = f"must be Mat[{leaf.shape[0]}, {leaf.shape[1]}]", snapshot(wrong)
        refused(ShapeError, lambda w=wrong: layer.fwd(w, x), f"{layer}: {leaf.name} ", want)  # type: ignore[misc]
        refused(ShapeError, lambda w=wrong: layer.bwd(p, s, dy, w), f"{layer}: the gradient", want)  # type: ignore[misc]
        refused(ShapeError, lambda w=wrong: layer.dump(w), leaf.name, want)  # type: ignore[misc]
        assert all_same_bits(wrong, before)


def parameters_of_other_types_are_refused(case: JudgedCase) -> None:
    """So do parameters that are not float32, as DtypeError."""
    layer, p, x = case.layer, case.p, case.x()
    for place, leaf in enumerate(layer.leaves):
        for wrong in WRONG_TYPES:
            q = replaced(p, place, as_lists(p)[place].astype(wrong))
            refused(DtypeError, lambda q=q: layer.fwd(q, x), f"{layer}: {leaf.name} ", np.dtype(wrong).name)  # type: ignore[misc]


def unwritable_gradients_are_refused(case: JudgedCase) -> None:
    """A gradient that cannot be added to in place is refused before anything is written into any part of it."""
    layer, p, dy = case.layer, case.p, case.dy(1)
    s = layer.fwd(p, case.x()).s
    for name in ("read-only", "negative strides", "sliced", "unaligned"):
        for place in range(len(layer.leaves)):
            g = random_like(layer, case.seed)
            g = replaced(g, place, LAYOUTS[name](as_lists(g)[place]))
            if as_lists(g)[place].flags.carray:  # one number lies the same in every order
                continue
            before = snapshot(g)
            refused(ShapeError, lambda g=g: layer.bwd(p, s, dy, g), f"{layer}: the gradient", "written in place")  # type: ignore[misc]
            assert all_same_bits(g, before)


def pickled_gradients_are_accepted(case: JudgedCase) -> None:
    """A gradient that was pickled (from another process) is as good as any: its dtype is only equal to float32."""
    layer, p, x, dy = case.layer, case.p, case.x(), case.dy()
    backward = layer.bwd(p, layer.fwd(p, x).s, dy, mapped(LAYOUTS["pickled"], layer.zeros()))
    assert all_same_bits(backward.g, run(layer, p, x, dy)[2])


def impossible_sizes_are_refused(case: JudgedCase) -> None:
    """Rows below 0, other sizes below 1, and sizes that are not ints raise ShapeError when the layer is built."""
    name, sizes = case.layer.info.name, case.arguments

    def build(place: int, wrong: Any) -> Any:
        return case.factory(*sizes[:place], wrong, *sizes[place + 1 :], **case.options)

    for place, wrong in ((0, -1), *((i, w) for i in range(1, len(sizes)) for w in (0, -1))):
        refused(ShapeError, lambda at=place, w=wrong: build(at, w), f"{name}(", "must be at least", f"got {wrong}")  # type: ignore[misc]
    other_types: tuple[Any, ...] = (2.0, "2", None, True)
    for place in range(len(sizes)):
        for other in other_types:
            refused(ShapeError, lambda at=place, w=other: build(at, w), f"{name}(", "must be an int")  # type: ignore[misc]


def describes_itself(case: JudgedCase) -> None:
    """The name, the sizes and the options stand in the text of the layer, as the call that built it."""
    layer, sizes = case.layer, case.arguments
    assert str(layer).startswith(f"{layer.info.name}({', '.join(map(str, sizes))}")
    assert all(f", {name}={value!r}" in str(layer) for name, value in case.options.items())
    assert tuple(layer.info.sizes.values()) == sizes
    assert layer.info.input_gradient == case.reference.input_gradient
    assert layer.init(Key(case.seed)) is not None


LAYER_CHECKS: Final[tuple[Callable[[Any], None], ...]] = (
    forward_matches_float64,
    backward_matches_float64,
    large_sizes_match_float64,
    backward_of_linear_layers_ignores_x,
    splitting_the_batch_adds_gradients,
    outputs_are_memory_of_their_own,
    nan_and_infinity_propagate,
    nan_and_infinity_stay_in_their_element,
    parameters_of_other_sizes_are_refused,
    parameters_of_other_types_are_refused,
    unwritable_gradients_are_refused,
    pickled_gradients_are_accepted,
    impossible_sizes_are_refused,
    describes_itself,
)

FEW: Final = {"bits_do_not_depend_on_threads": 5, "large_sizes_match_float64": 5, "other_arrays_are_refused": 20}
"""How many cases of the slow checks: large ones, and those that try many wrong arrays on each."""


def check_layer(
    factory: Callable[..., Any],
    sizes: int | st.SearchStrategy[tuple[int, ...]],
    judge: Judge,
    *,
    large: tuple[int, ...] | None = None,
    arguments: Callable[..., tuple[int, ...]] = lambda *sizes: sizes,
    **options: Sequence[Any],
) -> Callable[..., None]:
    """A test that runs every check on `factory(n, *sizes, **options)`.

    `sizes` says how many sizes follow the rows (or batch elements) n, or how they are drawn where one limits another.
    `judge` is the reference in float64, or a function of sizes and options that gives it. Each option is drawn from the
    values given for it. `large` are sizes, n first, that take several chunks; 300 each without it. `arguments` is for a
    factory of other sizes: it gives them (rows of n sequences) from (n, *sizes).
    """
    checks = {check.__name__: check for check in (*LAYER_CHECKS, *PASSES_CHECKS)}
    checks |= {check.__name__: on_params(check) for check in PARAMS_CHECKS}
    sides = st.tuples(*[widths] * sizes) if isinstance(sizes, int) else sizes
    chosen = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in options.items()})

    @pytest.mark.parametrize("name", checks)
    def test(name: str) -> None:
        @settings(max_examples=min(FEW.get(name, 1000), settings.default.max_examples))  # type: ignore[union-attr]
        @given(n=rows, sides=sides, seed=seeds, chosen=chosen)
        def on_cases(n: int, sides: tuple[int, ...], seed: int, chosen: dict[str, Any]) -> None:
            checks[name](JudgedCase(factory, n, sides, seed, chosen, large, arguments, judge=judge))

        on_cases()

    return test


def on_params(check: Callable[[Any, int], None]) -> Callable[[Case], None]:
    """A check of a layer's parameters as a check of a case."""
    return lambda case: check(case.layer, case.seed)
