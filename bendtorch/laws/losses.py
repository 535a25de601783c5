"""L31, L36 and L54 of losses: a mean over the batch, its derivative, and what cross-entropy does not see."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch.laws.differences import ROUNDINGS, STEP, TURNS, slope_of
from bendtorch.laws.law import CLOSE, EXACT, LOSS, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import arrays_in, floats_in, replaced
from bendtorch.laws.sides import ROUNDING, finite_size, size_of
from bendtorch.laws.trial import ORDINARY, Trial, batch_share
from bendtorch.losses.loss import Loss

COORDINATES: Final = 4
UNSEEN: Final = 2.0**-40  # what a value in float64 may be off by, as a part of it
SURE: Final = 2.0**-40  # a loss that only the surest answers have


def loss_of(trial: Trial) -> Loss[Any, Any]:
    """The loss that is checked."""
    loss: Loss[Any, Any] = trial.subject
    return loss


def _derives(trial: Trial) -> Difference | None:
    """As L27, on the value: a float64, where it is one, shows more than the forward pass of a layer."""
    loss, y, target = loss_of(trial), trial.x, trial.target
    out = loss.grad(y, target)
    value = loss.value(y, target)
    if value != out.loss and not (np.isnan(value) and np.isnan(out.loss)):
        return Difference("the value", "value(y, target)", str(value), "grad(y, target).loss", str(out.loss))
    generator = trial.generator(36)
    for place, array in enumerate(floats_in(y)):
        for flat in generator.integers(array.size, size=COORDINATES) if array.size else ():
            where = np.unravel_index(int(flat), array.shape)
            known = _slope(loss, y, target, place, where)
            if known is None:
                continue
            slope, slack = known
            got = float(arrays_in(out.dy)[place][where])
            slack += ROUNDING * (finite_size(arrays_in(out.dy)[place]) + 2.0**-12)
            if not abs(got - slope) <= slack:
                text = f"{slope:.6g} ± {slack:.1g}"
                return Difference(f"dy[{', '.join(map(str, where))}]", "grad", f"{got:.6g}", "value's difference", text)
    return None


def _slope(loss: Loss[Any, Any], y: Any, target: Any, place: int, where: Any) -> tuple[float, float] | None:
    """The slope of the value along one number of y, and how far it may be off; None where differences cannot tell."""
    points, values = {}, {}
    for k in TURNS:
        moved = arrays_in(y)[place].copy()
        moved[where] += np.float32(k * STEP)
        points[k], values[k] = float(moved[where]), np.array([loss.value(replaced(y, place, moved), target)])
    is_narrow = all(np.float32(value[0]) == value[0] for value in values.values())
    rounding = ROUNDINGS if is_narrow else UNSEEN
    return slope_of([np.ones(1)], points, {k: [value] for k, value in values.items()}, STEP, rounding)


def _weighted(trial: Trial) -> Difference | None:
    """The mean over a batch is the mean of its parts' means, weighted by their rows."""
    loss, n, resized = loss_of(trial), len(arrays_in(trial.x)[0]), trial.resized
    if resized is None or n < 2:
        raise NotHereError("no other batch size can be built: give check a function of sizes, the batch first")
    whole, values, gradients, cut = loss.grad(trial.x, trial.target), [], [], -(-n // 3)
    for start, stop in ((0, cut), (cut, n)):
        part: Any = resized(stop - start)
        out = part.grad(*(batch_share(value, n, start, stop) for value in (trial.x, trial.target)))
        share = (stop - start) / n
        values.append(share * out.loss)
        gradients.append(arrays_in(out.dy)[0] * np.float32(share))
    if not abs(whole.loss - sum(values)) <= ROUNDING * (sum(map(abs, values)) + 1):
        return Difference("the loss", "the batch", str(whole.loss), "the weighted mean of its parts", str(sum(values)))
    rows = np.concatenate(gradients)
    near = {"dy": [ROUNDING * (size_of(rows) + 1.0 / n)]}
    return differ("the batch", {"dy": arrays_in(whole.dy)[0]}, "its parts, weighted", {"dy": rows}, near)


def _shifts(trial: Trial) -> Difference | None:
    loss, (y,) = loss_of(trial), arrays_in(trial.x)
    whole = np.rint(np.clip(y, -50, 50)).astype(np.float32)
    shift = np.float32(trial.seed % 2001 - 1000)
    one, two = loss.grad(whole, trial.target), loss.grad(whole + shift, trial.target)
    if one.loss != two.loss:
        return Difference("the loss", "shifted rows", str(two.loss), "the rows", str(one.loss))
    sums = np.abs(one.dy.sum(axis=1, dtype=np.float64))
    if np.any(sums > ROUNDING):
        row = int(np.argmax(sums))
        return Difference(f"row {row}", "the sum of dy", str(sums[row]), "the law", "0")
    return differ("shifted rows", {"dy": two.dy}, "the rows", {"dy": one.dy}) or _sure(loss, whole, trial.target)


def _sure(loss: Loss[Any, Any], y: Any, labels: Any) -> Difference | None:
    """Whether the loss of answers as sure as can be is what their gradients give to the other classes.

    It is log(1 + s), where s is the share of the others; so small a number is lost where 1 + s is rounded.
    """
    y = np.clip(y, -20, 20) - np.float32(60)
    y[np.arange(len(y)), labels] = 0
    out = loss.grad(y, labels)
    others = out.dy.sum(dtype=np.float64, where=np.arange(y.shape[1]) != np.asarray(labels)[:, None])
    if out.loss >= SURE or abs(out.loss - others) <= 1e-5 * others:
        return None  # smoothed, it is large, however sure they are
    return Difference("the loss of sure answers", "grad", str(out.loss), "the gradients of the others", str(others))


OF_LOSSES: Final = (
    Law(
        "L31",
        "a mean loss is weighted by rows",
        "the loss of a batch is the mean of its parts' losses by their rows, and so is its gradient",
        CLOSE,
        _weighted,
        ORDINARY,
        "check is given a function of sizes",
        subjects=(LOSS,),
        of=("CrossEntropy", "NLL", "MSE"),
        hint="the sum is divided by another number than that of the rows",
    ),
    Law(
        "L36",
        "a loss's gradient is the derivative of its value",
        "dy = the central difference of value, and value is grad's loss",
        CLOSE,
        _derives,
        ORDINARY,
        subjects=(LOSS,),
        hint="the gradient lacks the division by the number of rows, or a factor",
    ),
    Law(
        "L54",
        "cross-entropy does not see a shift",
        "rows shifted by a number have the same loss and gradient; its gradient sums to 0; sure answers lose little",
        EXACT,
        _shifts,
        ORDINARY,
        subjects=(LOSS,),
        of=("CrossEntropy",),
        hint="the largest number of a row is not subtracted; ignored rows are tested in laws/",
    ),
)
