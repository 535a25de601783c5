"""L57 to L61: what attention sees. On any layer whose sizes name its positions (`t`) and heads (`kv`, `g`, `hd`).

That the index functions of the kernels are right for all sizes is proved apart; here the passes are run.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch.errors import BendError
from bendtorch.laws.heads import Heads, changed
from bendtorch.laws.law import CLOSE, EXACT, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import Array, arrays_in, floats_in, mapped, rebuilt
from bendtorch.laws.sides import ROUNDING, Side, passes, side, slack_of
from bendtorch.laws.trial import EVERY, ORDINARY, Trial, batch_share

SPOILERS: Final = (np.nan, np.inf, -np.inf, 0.0, 1e30)
INDEXES: Final = "the index functions of the kernels are proved for all sizes by an SMT solver"
ATTENTION: Final = ("Attention", "PaddedAttention")


def _cut(trial: Trial, h: Heads) -> tuple[int, float]:
    """A first later position, and a number to spoil it with."""
    generator = trial.generator(57)
    return int(generator.integers(1, h.t + 1)), float(generator.choice(SPOILERS))


def _is_causal(trial: Trial) -> bool:
    return bool(trial.layer.info.options.get("causal", True))


def _causal(trial: Trial) -> Difference | None:
    if not _is_causal(trial):
        raise NotHereError("it is not causal")
    h, layer = Heads.of(trial, "t"), trial.layer
    first, value = _cut(trial, h)

    def spoil(place: int, array: Array) -> None:
        """All later numbers, or those of the last column."""
        h.at(array)[:, first:, (0 if trial.seed % 2 else -1) :] = value

    one = passes(layer, trial.p, trial.x, trial.dy)
    two = passes(layer, trial.p, changed(trial.x, spoil), trial.dy)
    before, now = ({k: h.at(a)[:, :first] for k, a in side.items() if k == "y"} for side in (one, two))
    found = differ("early outputs, later inputs changed", now, "early outputs", before)

    def late(place: int, array: Array) -> None:
        h.at(array)[:, :first] = value
        h.at(array)[:, first:] = 0

    back = passes(layer, trial.p, trial.x, changed(trial.dy, late))
    flows = {k: np.abs(h.at(a)[:, first:]) for k, a in back.items() if k.startswith("dx")}
    nothing = {k: np.zeros_like(a) for k, a in flows.items()}
    found = found or differ("dx of later inputs, from early outputs", flows, "nothing", nothing)
    return found or _prefix(trial, h, first, one)


def _prefix(trial: Trial, h: Heads, first: int, whole: Side) -> Difference | None:
    """Whether a prefix has the output of the whole, up to there: the later positions are cut away by zeros."""
    if not all(np.all(np.isfinite(array)) for array in whole.values()):
        return None

    def cut(place: int, array: Array) -> None:
        h.at(array)[:, first:] = 0

    y = side({"y": trial.layer.fwd(trial.p, changed(trial.x, cut)).y})
    early, wanted = ({k: h.at(one[k])[:, :first] for k in y} for one in (y, whole))
    return differ("F of the prefix", early, "the prefix of F", wanted, slack_of(trial, (early, wanted)))


def _grouped(trial: Trial) -> Difference | None:
    """Spoiling one key head changes the columns of its own query heads alone."""
    h = Heads.of(trial, "t", "kv", "g", "hd")
    head = int(trial.generator(58).integers(h.kv))
    columns = slice(head * h.hd, (head + 1) * h.hd)

    def spoil(place: int, array: Array) -> None:
        if place:
            array[:, columns] = array[:, columns] * np.float32(0.5) + np.float32(1)

    one, two = trial.layer.fwd(trial.p, trial.x).y, trial.layer.fwd(trial.p, changed(trial.x, spoil)).y
    own = np.arange(h.kv * h.g * h.hd) // (h.g * h.hd) == head
    found = differ(f"key head {head} changed, other heads", {"y": two[:, ~own]}, "before", {"y": one[:, ~own]})
    if found is not None or not len(one) or len(floats_in(trial.x)) < len(arrays_in(trial.x)):
        return found  # where there are ids, they may say that nothing is seen
    for member in range(h.g):
        reads = slice((head * h.g + member) * h.hd, (head * h.g + member + 1) * h.hd)
        if np.array_equal(one[:, reads], two[:, reads]):
            place = f"query head {head * h.g + member}, key head {head} changed"
            return Difference(place, "y", "the same bits", "the law", "others")
    return _kept(trial, h, head)


def _kept(trial: Trial, h: Heads, head: int) -> Difference | None:
    """Whether an infinity that a key head's first value has, which all queries see, is in their outputs."""
    generator = trial.generator(158)
    column, value = int(generator.integers(h.hd)), float(generator.choice(SPOILERS[:3]))

    def spoil(place: int, array: Array) -> None:
        if place == 2:
            h.at(array)[:, 0, head * h.hd + column] = value

    y = trial.layer.fwd(trial.p, changed(trial.x, spoil)).y
    own = y[:, [(head * h.g + member) * h.hd + column for member in range(h.g)]]
    if not np.isfinite(own).any():
        return None
    where = np.argwhere(np.isfinite(own))[0]
    return Difference(f"row {where[0]}", "y", str(own[tuple(where)]), f"a value of {value}", "no finite number")


def _columns(trial: Trial) -> Difference | None:
    """The gradient of one query head's output flows to that head, and to its key head, alone."""
    h = Heads.of(trial, "t", "kv", "g", "hd")
    head = int(trial.generator(59).integers(h.kv * h.g))

    def alone(place: int, array: Array) -> None:
        kept = array[:, head * h.hd : (head + 1) * h.hd].copy()
        array[:] = 0
        array[:, head * h.hd : (head + 1) * h.hd] = kept

    back = passes(trial.layer, trial.p, trial.x, changed(trial.dy, alone))
    flows = [np.abs(array) for place, array in back.items() if place.startswith("dx")]
    for place, array in enumerate(flows):
        own = head // h.g if place else head
        array[:, own * h.hd : (own + 1) * h.hd] = 0
    names = {f"dx of array {place}": array for place, array in enumerate(flows)}
    return differ(f"dx of other heads than {head}", names, "nothing", {k: np.zeros_like(a) for k, a in names.items()})


def _sequences(trial: Trial) -> Difference | None:
    h = Heads.of(trial, "t")
    if trial.resized is None or not h.b:
        raise NotHereError("no other batch size can be built: give check a function of sizes, the batch first")
    n = trial.sizes[0]
    try:
        alone = trial.resized(1)
    except BendError as error:
        raise NotHereError(f"one sequence cannot be built ({error})") from error
    whole = passes(trial.layer, trial.p, trial.x, trial.dy)
    for s in range(n):
        one = passes(alone, trial.p, *(batch_share(value, n, s, s + 1) for value in (trial.x, trial.dy)))
        share = {k: batch_share(a, n, s, s + 1) for k, a in whole.items() if not k.startswith("dp")}
        found = differ(f"sequence {s} alone", {k: one[k] for k in share}, "among the others", share)
        if found is not None:
            return found
    return None


def _equivariant(trial: Trial) -> Difference | None:
    if _is_causal(trial):
        raise NotHereError("it is causal")
    h = Heads.of(trial, "t")
    if any(array.dtype.kind != "f" for array in arrays_in(trial.x)):
        raise NotHereError("its positions differ in more than their place")
    order = trial.generator(61).permutation(h.t)

    def permuted(value: Any) -> Any:
        return mapped(lambda a: np.ascontiguousarray(h.at(a)[:, order]).reshape(a.shape), value)

    x, dy = _spoiled(trial) if trial.seed % 2 else (trial.x, trial.dy)
    moved = passes(trial.layer, trial.p, permuted(x), permuted(dy))
    plain = passes(trial.layer, trial.p, x, dy)
    wanted = {k: permuted(a) for k, a in plain.items() if not k.startswith("dp")}
    near = {k: [16 * ROUNDING * (1 + float(np.abs(a[np.isfinite(a)]).max(initial=0)))] for k, a in wanted.items()}
    return differ("permuted positions", {k: moved[k] for k in wanted}, "positions, permuted", wanted, near)


def _spoiled(trial: Trial) -> tuple[Any, Any]:
    """The input and the gradient with one number that is not finite, wherever it is."""
    generator = trial.generator(161)
    value, arrays = generator.choice(SPOILERS[:3]), [array.copy() for array in arrays_in((trial.x, trial.dy))]
    array = arrays[generator.integers(len(arrays))].reshape(-1)
    if array.size:
        array[generator.integers(array.size)] = value
    x, dy = rebuilt((trial.x, trial.dy), arrays)
    return x, dy


LOOKS: Final = (
    Law(
        "L57",
        "causality",
        "y at t does not depend on later inputs; no gradient flows to later inputs; a prefix of y is y of the prefix",
        EXACT,
        _causal,
        ORDINARY,
        "it is causal; the prefix is close",
        of=ATTENTION,
        hint="the mask is off by one",
        proved=INDEXES,
    ),
    Law(
        "L58",
        "grouped heads",
        "query head i reads key head i / g, and g of them share one; what is not finite in it is not lost",
        EXACT,
        _grouped,
        ORDINARY,
        of=ATTENTION,
        hint="a head is looked up by i % kv or i / kv instead of i / g",
        proved=INDEXES,
    ),
    Law(
        "L59",
        "columns of heads",
        "the gradient of a query head's output flows to that head's columns and its key head's alone",
        EXACT,
        _columns,
        ORDINARY,
        of=ATTENTION,
        hint="the passes cut the columns of heads in two ways",
        proved=INDEXES,
    ),
    Law(
        "L60",
        "sequences together are one after another",
        "y and dx of a sequence do not depend on those beside it",
        EXACT,
        _sequences,
        EVERY,
        "check is given a function of sizes, the number of sequences first",
        of=(*ATTENTION, "RoPE"),
        hint="a sequence reads or writes beyond its end",
        proved=INDEXES,
    ),
    Law(
        "L61",
        "without causality, positions may be permuted",
        "positions permuted give positions permuted, also where a number is not finite",
        CLOSE,
        _equivariant,
        ORDINARY,
        "it is not causal",
        of=ATTENTION,
        hint="something depends on the place of a position",
    ),
)
