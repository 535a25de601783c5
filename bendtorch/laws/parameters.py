"""The laws of a layer's parameters: L46 to L48."""

from __future__ import annotations

from typing import Final

import numpy as np

from bendtorch.laws.law import EXACT, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.trial import EVERY, Trial
from bendtorch.layer.pair import Transfer
from bendtorch.shapes.arrays import FlatF32

PROVED: Final = "proved for all layers by running the combinators on symbols"
MARGIN: Final = 3  # numbers before and after, which must stay


def _restores(trial: Trial) -> Difference | None:
    layer, p, flat = trial.layer, trial.p, trial.layer.dump(trial.p)
    room = np.full(len(flat) + 2 * MARGIN, 7, np.float32)
    padded = np.concatenate([room[:MARGIN], flat, room[:MARGIN]])
    end = layer.store(p, room, MARGIN)
    one, two = layer.zeros(), layer.zeros()
    ends = np.array([end, layer.load(one, flat, 0) + MARGIN, layer.load(two, padded, MARGIN)])
    seen = p if layer.view is None else layer.view(padded.copy(), MARGIN)
    for name, left, result, right, wanted in (
        ("p", "load(dump(p))", one, "p", p),
        ("p", "load from an offset", two, "p", p),
        ("p", "view from an offset", seen, "p", p),
        ("dump", "dump(load(dump(p)))", layer.dump(one), "dump(p)", flat),
        ("the array", "store", room, "dump, with what was beside it,", padded),
        ("the next offsets", "store, load, load", ends, "offset + count", np.full(3, MARGIN + len(flat))),
    ):
        found = differ(left, {name: result}, right, {name: wanted}, nan_bits=True)
        if found is not None:
            return found
    return _refused(trial, flat)


def _refused(trial: Trial, flat: FlatF32) -> Difference | None:
    """Whether an array that is too short is refused; by a composite before anything is written."""
    if not len(flat):
        return None
    layer, short, p = trial.layer, np.full(MARGIN + len(flat) - 1, 7, np.float32), trial.layer.zeros()
    for name, move, value, target, before in (
        ("store", layer.store, trial.p, short, short.copy()),
        ("load", layer.load, p, p, layer.zeros()),
    ):
        try:
            move(value, short, MARGIN)
        except Exception:  # whatever says so
            if not isinstance(move, Transfer):
                continue
            found = differ(f"what {name} left", {"target": target}, "before", {"target": before}, nan_bits=True)
        else:
            room = f"{len(flat) - 1} numbers of room for {len(flat)}"
            found = Difference(room, name, "an offset", "the law", "an error")
        if found is not None:
            return found
    return None


def _concatenates(trial: Trial) -> Difference | None:
    flat, arrays = trial.layer.dump(trial.p), arrays_in(trial.p)
    if not arrays and len(flat):
        raise NotHereError("its parameters are of a type whose arrays cannot be seen")
    cells = [np.ascontiguousarray(array).reshape(-1).view(np.float32) for array in arrays]
    joined = np.concatenate([np.empty(0, np.float32), *cells])
    return differ("dump(p)", {"dump": flat}, "the concatenation of p", {"dump": joined}, nan_bits=True)


def _counts(trial: Trial) -> Difference | None:
    layer, count = trial.layer, trial.layer.count()
    numbers = sum(array.size for array in arrays_in(trial.p))
    described = sum(leaf.cells for leaf in layer.leaves)
    for right, other, known in (
        ("the length of dump(p)", len(layer.dump(trial.p)), True),
        ("the numbers in p", numbers, numbers > 0),
        ("the numbers of its leaves", described, len(layer.leaves) > 0),
    ):
        if known and count != other:
            return Difference("the count", "count()", str(count), right, str(other))
    return None


RESTORES: Final = Law(
    "L46",
    "load inverts dump",
    "load(dump(p)) = p; store and view agree with dump, from any offset; nothing beside is touched; room is needed",
    EXACT,
    _restores,
    EVERY,
    hint="load reads the arrays in another order than dump writes them, or forgets the offset",
)
CONCATENATES: Final = Law(
    "L47",
    "dump is the concatenation in order",
    "dump of a composite is that of its first part, then that of its second",
    EXACT,
    _concatenates,
    EVERY,
    "the arrays in its parameters can be seen",
    hint="dump writes the arrays in another order than the parameters have them",
    proved=PROVED,
)
COUNTS: Final = Law(
    "L48",
    "count is additive",
    "count is the length of dump, and the sum over the parts",
    EXACT,
    _counts,
    EVERY,
    hint="count leaves out a number of the parameters, or counts one twice",
    proved=PROVED,
)
