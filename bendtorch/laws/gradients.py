"""The laws of the two passes: L24, L25, L31 to L33, L35."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from bendtorch.errors import ConfigError, ShapeError
from bendtorch.laws.law import CLOSE, EXACT, LAYER, LOSS, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import arrays_in, floats_in, mapped, rebuilt, shown
from bendtorch.laws.sides import Side, added, gradients, passes, side, size_of, slack_of
from bendtorch.laws.trial import EVERY, FINITE, ORDINARY, AnyLayer, Trial, batch_share, in_equal_shares

SMALLEST: Final = 2.0**-100
"""Below it a product may have left the range in which float32 scales exactly."""

SHAKE: Final = 2.0**-18  # of dy: so much that what rounding leaves of terms that cancel is another number
SHAKES: Final = 8


def _linear(trial: Trial) -> Difference | None:
    d, e = trial.dy, trial.dy2
    pairs = list(zip(arrays_in(d), arrays_in(e), strict=True))
    total, rest = rebuilt(d, [a + b for a, b in pairs]), rebuilt(d, [a - b for a, b in pairs])
    if _overflows(trial):
        raise NotHereError("a result is not finite")
    zero = gradients(trial, trial.x, mapped(np.zeros_like, d))
    nothing = {place: np.abs(array) for place, array in zero.items()}  # -0 is zero
    found = differ("B(x, 0)", nothing, "zero", {place: np.zeros_like(array) for place, array in zero.items()})
    if found is not None:
        return found
    one, two, both, other = (gradients(trial, trial.x, dy) for dy in (d, e, total, rest))
    slack = slack_of(trial, (one, two, both, other))
    found = differ("B(x, dy + dy2)", both, "B(x, dy) + B(x, dy2)", added(one, two), slack)
    if found is None:
        return None
    shaken = _shaken(trial, (d, one), (e, two))
    wider = {place: [most + shaken[place] for most in slack[place]] for place in slack}
    return differ("B(x, dy + dy2)", both, "B(x, dy) + B(x, dy2)", added(one, two), wider)


def _overflows(trial: Trial) -> bool:
    """Whether y is not finite, or the derivative infinite: a dy of zero times that is no zero."""
    y = floats_in(trial.layer.fwd(trial.p, trial.x).y)
    ones = gradients(trial, trial.x, mapped(lambda a: np.ones_like(a) if a.dtype.kind == "f" else a, trial.dy))
    return not all(np.all(np.isfinite(a)) for a in y) or any(np.any(np.isinf(a)) for a in ones.values())


def _shaken(trial: Trial, *calls: tuple[Any, Side]) -> dict[str, float]:
    """How far each gradient may move when dy moves by its last bits: what terms leave that cancel inside of a chain."""
    moves = dict.fromkeys(calls[0][1], 0.0)
    for turn in range(SHAKES):
        generator = trial.generator(2400 + turn)

        def shake(a: Any, generator: Any = generator) -> Any:
            return a * (1 + SHAKE * generator.uniform(-1, 1, a.shape)).astype(a.dtype) if a.dtype.kind == "f" else a

        for dy, still in calls:
            for place, array in gradients(trial, trial.x, mapped(shake, dy)).items():
                moves[place] = max(moves[place], size_of(array - still[place]))
    return {place: 16 * move for place, move in moves.items()}


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
            return Difference(f"the type of {name}", name, shown(got), like, shown(wanted))
    return None


def _ids_of_another_width(got: Any, wanted: Any) -> bool:
    """Whether nests differ only in the width of their ids, which a layer may widen."""
    widened = (mapped(lambda a: a.astype(np.int64) if a.dtype == np.int32 else a, value) for value in (got, wanted))
    return len({shown(value) for value in widened}) == 1


def _splits(trial: Trial) -> Difference | None:
    layer, resized, n = trial.layer, trial.resized, trial.sizes[0] if trial.sizes else 0
    if resized is None:
        raise NotHereError("no other batch size can be built: give check a function of sizes, the batch first")
    if layer.varies:
        raise NotHereError("its random numbers depend on the place in the batch")
    if n == 0 or not in_equal_shares((trial.x, trial.dy), n):
        raise NotHereError("its arrays have no rows for each element of the batch")
    whole = passes(layer, trial.p, trial.x, trial.dy)
    sides, slack = [], slack_of(trial, (whole, passes(layer, trial.p, trial.x, trial.dy2)))
    for start, stop in ((0, n // 3), (n // 3, n)):
        x, dy = (batch_share(value, n, start, stop) for value in (trial.x, trial.dy))
        sides.append(passes(_of_batch(resized, stop - start), trial.p, x, dy))
    terms = slack_of(trial, sides)
    slack = {place: [max(*most, *terms[place])] for place, most in slack.items()}
    return differ("the whole batch", whole, f"its parts of {n // 3} and {n - n // 3}", _joined(*sides), slack)


def _joined(one: Side, two: Side) -> Side:
    """The results for two parts of a batch as those for the whole."""
    return {
        place: array + two[place] if place.startswith("dp") else np.concatenate([array, two[place]])
        for place, array in one.items()
    }


def _of_batch(resized: Callable[[int], AnyLayer], n: int) -> AnyLayer:
    """The layer for a part of the batch; the law does not apply where there is none (of half a sequence)."""
    try:
        return resized(n)
    except (ShapeError, ConfigError) as error:
        raise NotHereError(f"its batch cannot be split anywhere ({error})") from error


def _accumulates(trial: Trial) -> Difference | None:
    return _added(trial, exactly=not _ties(trial.layer))


def _rounded_apart(trials: Sequence[Trial], place: str) -> str:
    """Whether the sums differ by rounding only: then each is right, but they are added in another order."""
    for trial in trials:
        try:
            if _added(trial, exactly=False) is not None:
                return ""
        except NotHereError:
            continue
    return (
        "they differ by rounding only: add a finished sum. Compute the gradient apart, then g += it (in place); "
        "rows added to g one by one, as by np.add.at(g, ...), are summed in another order"
    )


def _added(trial: Trial, exactly: bool) -> Difference | None:
    """What is added to g by some calls, against the gradients into zeros, exactly or up to rounding."""
    layer, calls = trial.layer, ((trial.x, trial.dy), (trial.x2, trial.dy2))
    if not floats_in(trial.p):
        raise NotHereError("it has no parameters")
    for order in (calls, calls[::-1], (calls[0], calls[0])):
        g = copy.deepcopy(trial.g)
        expected = side({"g": copy.deepcopy(g)})
        given, sides = g, [expected]
        for x, dy in order:
            g = layer.bwd(trial.p, layer.fwd(trial.p, x).s, dy, g).g
            sides.append(side({"g": trial.backward(x, dy)["dp"]}))
            expected = added(expected, sides[-1])
        slack = None if exactly else slack_of(trial, [*sides, expected])
        for name, result in (("the gradient returned", g), ("the gradient given, in place,", given)):
            got = _without_signs_of_zero(side({"g": result}))
            found = differ(name, got, "g + B(x, dy) for each call", _without_signs_of_zero(expected), slack)
            if found is not None:
                return found
    return None


def _without_signs_of_zero(one: Side) -> Side:
    """Zeros as +0: the gradient into zeros is never -0, whatever its sign was before it was added to them."""
    return {place: array + np.float32(0) for place, array in one.items()}


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
    twice = layer.bwd(p, s, dy, layer.zeros())  # before x is seen again: the last forward pass was that of x2
    again = layer.fwd(p, x)
    return differ("a second call", {"y": again.y, "s": again.s}, "the first", forwards) or differ(
        "a second call, after fwd of x2,", {"dx": twice.dx, "dp": twice.g}, "the first", backwards
    )


def _scales(trial: Trial) -> Difference | None:
    one = gradients(trial, trial.x, trial.dy)
    numbers = [array[array != 0] for array in one.values()]
    if not all(np.all(np.isfinite(a) & (np.abs(a) > SMALLEST) & (np.abs(a) < 1 / SMALLEST)) for a in numbers):
        raise NotHereError("a result is outside of the range in which float32 scales exactly")
    for power in (-3, 5):
        factor = np.float32(2.0**power)
        scaled = gradients(trial, trial.x, mapped(lambda a, f=factor: a * f, trial.dy))  # type: ignore[misc]
        wanted = {place: array * factor for place, array in one.items()}
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
    "results and derivatives are finite",
    subjects=(LAYER, LOSS),
    hint="every term of dx and dp has dy as one factor, and no other function of dy",
)
TYPES: Final = Law(
    "L25",
    "gradients have the types of values",
    "dx is like x, dp like p, y like dy",
    EXACT,
    _types,
    EVERY,
    subjects=(LAYER, LOSS),
    hint="a product may be transposed, or an operation have made float64 of float32",
)
SPLITS: Final = Law(
    "L31",
    "the batch may be split",
    "y and dx of a batch are those of its parts, dp is the sum of theirs",
    CLOSE,
    _splits,
    ORDINARY,
    "check is given a function of sizes, and each element of the batch has as many rows",
    hint="dp is a sum over the batch, not a mean; no element sees another",
)
ACCUMULATES: Final = Law(
    "L32",
    "gradients accumulate",
    "bwd with g gives g + (bwd with zeros), in place, call after call in any order",
    EXACT,
    _accumulates,
    EVERY,
    "it has parameters; close where one is tied, and so added twice; zeros of either sign are equal",
    hint="bwd adds into the arrays of g (+=) and gives g back; it neither overwrites nor replaces them",
    explain=_rounded_apart,
)
PURE: Final = Law(
    "L33",
    "the passes are pure",
    "p, x, s and dy are unchanged, a second call after others gives equal bits, results are memory of their own",
    EXACT,
    _pure,
    EVERY,
    subjects=(LAYER, LOSS),
    hint="an operation in place (*=, out=), a buffer that is used again, something kept outside of s, "
    "or random numbers without a key",
)
SCALES: Final = Law(
    "L35",
    "powers of two pass through",
    "B(x, 2^k dy) = 2^k B(x, dy)",
    EXACT,
    _scales,
    ORDINARY,
    "nothing over- or underflows",
    subjects=(LAYER, LOSS),
    hint="dy is clipped, compared with a threshold, or rounded to fewer bits",
)
