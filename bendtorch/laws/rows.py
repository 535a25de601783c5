"""L52, L53, L55, L56 and L67: layers that work on each row, and what their rows are not changed by."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch.errors import BendError
from bendtorch.laws.attention import ATTENTION
from bendtorch.laws.law import CLOSE, EXACT, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import Array, arrays_in, mapped, rebuilt
from bendtorch.laws.scores import centred
from bendtorch.laws.sides import ROUNDING, Side, passes, side, size_of
from bendtorch.laws.trial import EVERY, ORDINARY, Trial

ROW_WISE: Final = (
    *("Linear", "LinearNB", "LinearFirst", "Embedding", "Conv2d", "MaxPool2d", "AvgPool2d"),
    *("ReLU", "Sigmoid", "Tanh", "SiLU", "GELU", "GELUErf", "ActOut", "ActIn"),
    *("Softmax", "LogSoftmax", "LayerNorm", "RMSNorm"),
    *("Id", "Copy", "Swap", "Drop", "Assoc", "Split", "Concat", "Add2", "Mul2"),
)
WIDE: Final = np.float32(2.0**12)  # the size of rows beside which an eps is nothing


def _rows(trial: Trial) -> int:
    """The number of rows that all arrays have."""
    counts = {len(array) for array in arrays_in((trial.x, trial.dy)) if array.ndim}
    if len(counts) != 1:
        raise NotHereError("its input and output have not as many rows")
    return counts.pop()


def _row_wise(trial: Trial) -> Difference | None:
    n, layer, p = _rows(trial), trial.layer, trial.p
    whole = passes(layer, p, trial.x, trial.dy)
    if n:
        row = int(trial.generator(52).integers(n))
        order = np.roll(np.arange(n), 1 + row)
        mixed_x, mixed_dy = (_other_rows(*pair, row) for pair in ((trial.x, trial.x2), (trial.dy, trial.dy2)))
        mixed = passes(layer, p, mixed_x, mixed_dy)
        left, right = ({place: a[row] for place, a in _of_rows(one).items()} for one in (mixed, whole))
        found = differ(f"row {row}, other rows changed", left, f"row {row}", right)
        if found is not None:
            return found
        permuted = passes(layer, p, *(mapped(lambda a: a[order], value) for value in (trial.x, trial.dy)))
        wanted = {place: a[order] for place, a in _of_rows(whole).items()}
        slack = {place: [ROUNDING * size_of(a)] for place, a in wanted.items()}
        if all(np.isfinite(size) for sizes in slack.values() for size in sizes):  # else the order says what overflows
            found = differ("permuted rows", _of_rows(permuted), "rows, permuted", wanted, slack)
        if found is not None:
            return found
    return _empty(trial) if trial.resized is not None else None


def _other_rows(value: Any, other: Any, row: int) -> Any:
    """The rows of another value, but for one."""
    arrays = []
    for one, two in zip(arrays_in(value), arrays_in(other), strict=True):
        mixed = two.copy()
        mixed[row] = one[row]
        arrays.append(mixed)
    return rebuilt(value, arrays)


def _of_rows(one: Side) -> Side:
    """The results that have rows: not dp."""
    return {place: array for place, array in one.items() if not place.startswith("dp")}


def _empty(trial: Trial) -> Difference | None:
    """Whether an empty batch gives an empty batch, and no gradient."""
    assert trial.resized is not None
    try:
        layer = trial.resized(0)
    except BendError:
        return None
    nothing = passes(layer, trial.p, *(mapped(lambda a: a[:0], value) for value in (trial.x, trial.dy)))
    for place, array in nothing.items():
        if place.startswith("dp"):
            if array.any():
                return Difference(place, "an empty batch", str(array), "no gradient", "0.0")
        elif len(array):
            return Difference(place, "an empty batch", f"{len(array)} rows", "nothing", "0 rows")
    return None


def _whole(trial: Trial, most: int = 8) -> Array:
    """Whole numbers of the input's shape, none of whose rows is constant where it has two columns."""
    (x,) = arrays_in(trial.x)
    numbers: Any = trial.generator(53).integers(-most, most + 1, x.shape).astype(np.float32)
    if x.shape[1] > 1:
        numbers[:, 0], numbers[:, 1] = most + 1, -most - 1
    whole: Array = numbers
    return whole


def _softmax(trial: Trial) -> Difference | None:
    layer, dy = trial.layer, trial.dy
    if "kv" in layer.info.sizes:
        return centred(trial)
    x = _whole(trial)
    one = passes(layer, trial.p, x, dy)
    y, dx = (one[name].astype(np.float64) for name in ("y", "dx"))
    shifted = passes(layer, trial.p, x + np.float32(trial.seed % 2001 - 1000), dy)
    order = trial.generator(54).permutation(x.shape[1])
    permuted = passes(layer, trial.p, x[:, order], dy[:, order])
    probabilities = np.exp(y) if np.all(y <= 0) and not np.all(x.shape[1] == 1 and y == 1) else y
    size = ROUNDING * np.abs(dy).sum(axis=1, dtype=np.float64).max(initial=0)
    return (
        differ("a shifted row", shifted, "the row", one)
        or differ("a permuted row", permuted, "the row, permuted", {k: v[:, order] for k, v in one.items()}, _near(one))
        or _sums("the sum of probabilities", probabilities, 1.0, 4 * ROUNDING)
        or _sums("the sum of dx", dx, 0.0, size)
    )


def _near(one: Side) -> dict[str, list[float]]:
    return {place: [2 * ROUNDING * max(size_of(array), 2.0**-10)] for place, array in one.items()}


def _sums(name: str, rows: Array, wanted: float, slack: float) -> Difference | None:
    """Whether each row sums to a number."""
    sums = rows.sum(axis=1)
    off = np.flatnonzero(~(np.abs(sums - wanted) <= slack + 1e-30))
    if not off.size:
        return None
    return Difference(f"row {off[0]}", name, f"{sums[off[0]]:.6g}", "the law", f"{wanted:g} ± {slack:.1g}")


def _scale_of(trial: Trial, x: Array) -> float:
    """What the sums in a normalised row's gradient may be off by, before they are divided by the row's size."""
    gains = max([1.0, *map(size_of, arrays_in(trial.p))])
    return ROUNDING * 8 * gains * size_of(trial.dy) * int(x.shape[1])


def _layer_norm(trial: Trial) -> Difference | None:
    """Rows so large that an eps is nothing beside their variance."""
    x = _whole(trial) * WIDE
    if x.shape[1] < 2:
        raise NotHereError("a row of one number is constant")
    one = passes(trial.layer, trial.p, x, trial.dy)
    moved = passes(trial.layer, trial.p, (x + WIDE * np.float32(trial.seed % 65 - 32)) * np.float32(4), trial.dy)
    return _unchanged(trial, one, moved, x) or _sums(
        "the sum of dx", one["dx"].astype(np.float64), 0.0, _scale_of(trial, x) / float(WIDE)
    )


def _rms_norm(trial: Trial) -> Difference | None:
    x = _whole(trial) * WIDE
    x[x == 0] = WIDE
    one = passes(trial.layer, trial.p, x, trial.dy)
    moved = passes(trial.layer, trial.p, x * np.float32(4), trial.dy)
    return _unchanged(trial, one, moved, x) or _sums(
        "⟨dx, x⟩", one["dx"].astype(np.float64) * x, 0.0, _scale_of(trial, x) * 8
    )


def _unchanged(trial: Trial, one: Side, moved: Side, x: Array) -> Difference | None:
    """Whether four times the rows, perhaps shifted, give the same y and dp, and a fourth of dx."""
    moved = {place: array * 4 if place == "dx" else array for place, array in moved.items()}
    scale = _scale_of(trial, x)
    slack = {place: [scale / float(WIDE) if place == "dx" else scale * max(len(x), 1)] for place in one}
    slack["y"] = [8 * ROUNDING * max(size_of(one["y"]), 1.0)]
    return differ("the changed row", moved, "the row", one, slack)


def _homogeneous(trial: Trial) -> Difference | None:
    layer, p = trial.layer, trial.p
    for factor in (np.float32(0.25), np.float32(3.3), np.float32(2.0**20)):
        scaled, plain = layer.fwd(p, mapped(lambda a, f=factor: a * f, trial.x)), layer.fwd(p, trial.x)  # type: ignore[misc]
        wanted = mapped(lambda a, f=factor: a * f, plain.y)  # type: ignore[misc]
        found = differ(f"F({factor}·x)", side({"y": scaled.y}), f"{factor}·F(x)", side({"y": wanted}))
        if found is not None:
            return found
    return None


ROWS: Final = (
    Law(
        "L52",
        "each row by itself",
        "y and dx of a row depend on that row alone; rows permuted give rows permuted; no rows give no rows",
        CLOSE,
        _row_wise,
        EVERY,
        "its rows are the elements of the batch",
        of=ROW_WISE,
        hint="a sum or mean runs over the rows instead of the columns",
    ),
    Law(
        "L53",
        "softmax",
        "a shift of a row (or all keys) changes nothing; y (or e^y) sums to 1, dx (or dk) to 0; columns may be swapped",
        CLOSE,
        _softmax,
        ORDINARY,
        of=("Softmax", "LogSoftmax", *ATTENTION),
        hint="the largest number is not subtracted, or dx lacks the term y·Σ y·dy",
    ),
    Law(
        "L55",
        "layer norm sees neither shift nor scale",
        "y of a·x + b is y of x, dx sums to 0; where eps is small beside the variance",
        CLOSE,
        _layer_norm,
        ORDINARY,
        "a row has more than one number",
        of=("LayerNorm",),
        hint="the mean is not subtracted, or dx lacks the term of the mean",
    ),
    Law(
        "L56",
        "RMS norm does not see scale",
        "y of a·x is y of x, ⟨dx, x⟩ = 0; where eps is small beside the mean square",
        CLOSE,
        _rms_norm,
        ORDINARY,
        of=("RMSNorm",),
        hint="dx lacks the term x̂·mean(dy·w·x̂)",
    ),
    Law(
        "L67",
        "ReLU scales",
        "relu(a·x) = a·relu(x) for a > 0",
        EXACT,
        _homogeneous,
        ORDINARY,
        of=("ReLU",),
        hint="the threshold is not 0",
    ),
)
