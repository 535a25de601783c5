"""The laws of the two passes: L24, L25, L31 to L33, L35."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.laws.law import CLOSE, EXACT, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import Array, arrays_in, floats_in, mapped, rebuilt, shown
from bendtorch.laws.trial import EVERY, FINITE, ORDINARY, AnyLayer, Trial, batch_share, in_equal_shares
from bendtorch.shapes.spec import Spec, show_spec

ROUNDING: Final = 2.0**-16
"""What sums in another order may differ by, as a part of the largest number among their terms."""

HIDDEN: Final = 2.0**-14
"""The same as a part of dy times the largest of 1, p and x: terms of that size may cancel unseen."""

UNDERFLOW: Final = 2.0**-120
"""What numbers may differ by on the way to which something underflowed."""

SMALLEST: Final = 2.0**-100
"""Below it a product may have left the range in which float32 scales exactly."""


def gradients_of(passed: Mapping[str, Any]) -> dict[str, Any]:
    """The gradients without what stands in the place of ids' and counters'."""
    return {name: tuple(floats_in(nest)) for name, nest in passed.items()}


def slack_of(trial: Trial, sides: Iterable[Mapping[str, Any]]) -> dict[str, list[float]]:
    """For each array of each nest, what rounding may do to it; refuses sides that overflowed.

    It is the rounding of the largest number of the array on any side, and of terms that may have cancelled.
    """
    largest: dict[str, list[float]] = {}
    for side in sides:
        for name, nest in side.items():
            sizes = [_size(array) for array in floats_in(nest)]
            if not np.all(np.isfinite(sizes)):
                raise NotHereError("a result is not finite")
            largest[name] = [max(a, b) for a, b in zip(largest.get(name, sizes), sizes, strict=True)]
    dy = max(map(_size, floats_in((trial.dy, trial.dy2))), default=0.0)
    hidden = HIDDEN * dy * max([1.0, *map(_size, floats_in((trial.p, trial.x)))]) + UNDERFLOW
    return {name: [ROUNDING * size + hidden for size in sizes] for name, sizes in largest.items()}


def _size(array: Array) -> float:
    """The size of an array's largest number."""
    return float(np.abs(array).max(initial=0))


def _linear(trial: Trial) -> Difference | None:
    d, e = trial.dy, trial.dy2
    pairs = list(zip(arrays_in(d), arrays_in(e), strict=True))
    added, taken = rebuilt(d, [a + b for a, b in pairs]), rebuilt(d, [a - b for a, b in pairs])
    zero = gradients_of(trial.backward(trial.x, mapped(np.zeros_like, d)))
    nothing = {name: mapped(np.abs, nest) for name, nest in zero.items()}  # -0 is zero
    found = differ("B(x, 0)", nothing, "zero", {name: mapped(np.zeros_like, nest) for name, nest in zero.items()})
    if found is not None:
        return found
    one, two, both, other = (gradients_of(trial.backward(trial.x, dy)) for dy in (d, e, added, taken))
    slack = slack_of(trial, (one, two, both, other))
    total = {name: tuple(a + b for a, b in zip(one[name], two[name], strict=True)) for name in one}
    return differ("B(x, dy + dy2)", both, "B(x, dy) + B(x, dy2)", total, slack)


def _types(trial: Trial) -> Difference | None:
    layer, g = trial.layer, trial.layer.zeros()
    forward = layer.fwd(trial.p, trial.x)
    backward = layer.bwd(trial.p, forward.s, trial.dy, g)
    for name, got, like, wanted in (
        ("dx", backward.dx, "x", trial.x),
        ("dp", backward.g, "p", trial.p),
        ("y", forward.y, "dy", trial.dy),
    ):
        if shown(got) != shown(wanted) and not _ids_of_another_width(got, wanted):
            return Difference("the type", name, shown(got), like, shown(wanted))
    saves = layer.info.saves
    if saves is not None and not _is_of(forward.s, saves):
        return Difference("the type", "s", shown(forward.s), "info.saves", show_spec(saves))
    return None


def _ids_of_another_width(got: Any, wanted: Any) -> bool:
    """Whether nests differ only in the width of their ids, which a layer may widen."""
    widened = (mapped(lambda a: a.astype(np.int64) if a.dtype == np.int32 else a, value) for value in (got, wanted))
    return len({shown(value) for value in widened}) == 1


def _is_of(value: Any, spec: Spec) -> bool:
    """Whether a value has the shapes of a spec."""
    if isinstance(spec, tuple):
        return isinstance(value, tuple) and len(value) == len(spec) and all(map(_is_of, value, spec))
    return isinstance(value, np.ndarray) and value.shape == spec.shape


def _splits(trial: Trial) -> Difference | None:
    layer, resized, n = trial.layer, trial.resized, trial.sizes[0] if trial.sizes else 0
    if resized is None:
        raise NotHereError("no other batch size can be built: give check a function of sizes, the batch first")
    if layer.varies:
        raise NotHereError("its random numbers depend on the place in the batch")
    if n == 0 or not in_equal_shares((trial.x, trial.dy), n):
        raise NotHereError("its arrays have no rows for each element of the batch")
    whole = _passes(layer, trial.p, trial.x, trial.dy)
    sides, slack = [], slack_of(trial, (whole, _passes(layer, trial.p, trial.x, trial.dy2)))
    for start, stop in ((0, n // 3), (n // 3, n)):
        x, dy = (batch_share(value, n, start, stop) for value in (trial.x, trial.dy))
        sides.append(_passes(_of_batch(resized, stop - start), trial.p, x, dy))
    one, two = sides
    joined = {
        name: tuple(np.concatenate(pair) for pair in zip(one[name], two[name], strict=True)) for name in ("y", "dx")
    }
    joined["dp"] = tuple(a + b for a, b in zip(one["dp"], two["dp"], strict=True))
    terms = (slack_of(trial, (side,))["dp"] for side in sides)
    slack["dp"] = [max(sizes) for sizes in zip(slack["dp"], *terms, strict=True)]
    return differ("the whole batch", whole, f"its parts of {n // 3} and {n - n // 3}", joined, slack)


def _of_batch(resized: Callable[[int], AnyLayer], n: int) -> AnyLayer:
    """The layer for a part of the batch; the law does not apply where there is none (of half a sequence)."""
    try:
        return resized(n)
    except (ShapeError, ConfigError) as error:
        raise NotHereError(f"its batch cannot be split anywhere ({error})") from error


def _passes(layer: AnyLayer, p: Any, x: Any, dy: Any) -> dict[str, Any]:
    """Output and gradients, without what stands in the place of ids'."""
    forward = layer.fwd(p, x)
    backward = layer.bwd(p, forward.s, dy, layer.zeros())
    return gradients_of({"y": forward.y, "dx": backward.dx, "dp": backward.g})


def _accumulates(trial: Trial) -> Difference | None:
    layer, calls = trial.layer, ((trial.x, trial.dy), (trial.x2, trial.dy2))
    if not floats_in(trial.p):
        raise NotHereError("it has no parameters")
    for order in (calls, calls[::-1], (calls[0], calls[0])):
        g = copy.deepcopy(trial.g)
        expected = [array.copy() for array in floats_in(g)]
        given, sides = g, []
        for x, dy in order:
            g = layer.bwd(trial.p, layer.fwd(trial.p, x).s, dy, g).g
            apart = floats_in(trial.backward(x, dy)["dp"])
            sides.append({"dp": tuple(apart)})
            with np.errstate(all="ignore"):
                expected = [total + one for total, one in zip(expected, apart, strict=True)]
        wanted = {"g": tuple(_without_signs_of_zero(expected))}
        slack = None if not _ties(layer) else {"g": slack_of(trial, [*sides, {"dp": tuple(expected)}])["dp"]}
        for name, result in (("the gradient returned", g), ("the gradient given, in place,", given)):
            given_back = {"g": tuple(_without_signs_of_zero(floats_in(result)))}
            found = differ(name, given_back, "g + B(x, dy) for each call", wanted, slack)
            if found is not None:
                return found
    return None


def _without_signs_of_zero(arrays: Iterable[Array]) -> list[Array]:
    """Zeros as +0: the gradient into zeros is never -0, whatever its sign was before it was added to them."""
    return [array + np.float32(0) for array in arrays]


def _ties(layer: AnyLayer) -> bool:
    """Whether a parameter is used twice, and so added twice."""
    return layer.info.name == "Tie" or any(_ties(part) for part in layer.info.parts)


def _pure(trial: Trial) -> Difference | None:
    layer, p, x, dy = trial.layer, trial.p, trial.x, trial.dy
    before = copy.deepcopy({"p": p, "x": x, "dy": dy})
    forward = layer.fwd(p, x)
    y, s = forward.y, forward.s
    forwards = copy.deepcopy({"y": y, "s": s})
    backward = layer.bwd(p, s, dy, layer.zeros())
    backwards = copy.deepcopy({"dx": backward.dx, "dp": backward.g})
    other = layer.fwd(p, trial.x2)  # whose results must be memory of their own
    layer.bwd(p, other.s, trial.dy2, layer.zeros())
    for left, one, right, two in (
        ("after the passes", {"p": p, "x": x, "dy": dy}, "before them", before),
        ("after later calls", {"y": y, "s": s}, "the first call", forwards),
        ("after later calls", {"dx": backward.dx, "dp": backward.g}, "the first call", backwards),
    ):
        found = differ(left, one, right, two)
        if found is not None:
            return found
    again, twice = layer.fwd(p, x), layer.bwd(p, s, dy, layer.zeros())
    return differ("a second call", {"y": again.y, "s": again.s}, "the first", forwards) or differ(
        "a second call", {"dx": twice.dx, "dp": twice.g}, "the first", backwards
    )


def _scales(trial: Trial) -> Difference | None:
    one = gradients_of(trial.backward(trial.x, trial.dy))
    numbers = [array[array != 0] for nest in one.values() for array in nest]
    if not all(np.all(np.isfinite(a) & (np.abs(a) > SMALLEST) & (np.abs(a) < 1 / SMALLEST)) for a in numbers):
        raise NotHereError("a result is outside of the range in which float32 scales exactly")
    for power in (-3, 5):
        factor = np.float32(2.0**power)
        scaled = gradients_of(trial.backward(trial.x, mapped(lambda a, f=factor: a * f, trial.dy)))  # type: ignore[misc]
        wanted = {name: tuple(array * factor for array in nest) for name, nest in one.items()}
        found = differ(f"B(x, 2^{power} dy)", scaled, f"2^{power} B(x, dy)", wanted)
        if found is not None:
            return found
    return None


LINEAR: Final = Law(
    "L24",
    "the backward pass is linear in dy",
    "B(x, dy + dy2) = B(x, dy) + B(x, dy2), and B(x, 0) = 0 exactly",
    CLOSE,
    _linear,
    FINITE,
    "results are finite",
)
TYPES: Final = Law(
    "L25", "gradients have the types of values", "dx is like x, dp like p, y like dy", EXACT, _types, EVERY
)
SPLITS: Final = Law(
    "L31",
    "the batch may be split",
    "y and dx of a batch are those of its parts, dp is the sum of theirs",
    CLOSE,
    _splits,
    ORDINARY,
    "check is given a function of sizes, and each element of the batch has as many rows",
)
ACCUMULATES: Final = Law(
    "L32",
    "gradients accumulate",
    "bwd with g gives g + (bwd with zeros), in place, call after call in any order",
    EXACT,
    _accumulates,
    EVERY,
    "it has parameters; close where one is tied, and so added twice; zeros of either sign are equal",
)
PURE: Final = Law(
    "L33",
    "the passes are pure",
    "p, x, s and dy are unchanged, a second call gives equal bits, results are memory of their own",
    EXACT,
    _pure,
    EVERY,
)
SCALES: Final = Law(
    "L35",
    "powers of two pass through",
    "B(x, 2^k dy) = 2^k B(x, dy)",
    EXACT,
    _scales,
    ORDINARY,
    "nothing over- or underflows",
)
