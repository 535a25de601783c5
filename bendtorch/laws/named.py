"""L62 to L66: what layers do that have a name: RoPE, Embedding, LinearNB, Dropout, reshapes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch.keys import Key
from bendtorch.laws.law import CLOSE, EXACT, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import Array, arrays_in, mapped
from bendtorch.laws.sides import HIDDEN, ROUNDING, side, size_of
from bendtorch.laws.trial import EVERY, ORDINARY, Trial, parameters
from bendtorch.layer.info import Info
from bendtorch.layers.linear_nb import LinearNB

_linear: Any = LinearNB

STEPS: Final = 64  # whose masks are looked at together


def _rotates(trial: Trial) -> Difference | None:
    layer, p, t = trial.layer, trial.p, trial.layer.info.sizes.get("t")
    offset = trial.layer.info.options.get("offset", 0)
    if not t:
        raise NotHereError("its info.sizes do not name t, its positions")
    if offset:
        raise NotHereError("its first position is not 0")

    def rotated(x: Any) -> Any:
        return layer.fwd(p, x).y

    x = trial.x
    y, back = rotated(x), layer.bwd(p, layer.fwd(p, x).s, rotated(x), layer.zeros()).dx
    near, n = 16 * ROUNDING * size_of(x), len(x)
    norms = [np.linalg.norm(a.astype(np.float64), axis=1) for a in (y, x)]
    same = np.repeat(x[:1], n, axis=0)  # one vector at every position
    once = rotated(same)
    a = int(trial.generator(62).integers(t))
    b = int(trial.generator(63).integers(t - a))
    again = rotated(np.repeat(once[a : a + 1], n, axis=0))  # rotated by a, then by each position
    other = rotated(np.repeat(trial.x2[:1], n, axis=0))
    column = int(trial.generator(162).integers(x.shape[1]))
    alone = np.where(np.arange(x.shape[1]) == column, x, np.float32(0))
    others = np.delete(rotated(alone), [column, _partner(layer.info, column)], axis=1)
    product = [once[i].astype(np.float64) @ other[j] for i, j in ((a, 0), (a + b, b))] if n else [0.0, 0.0]
    return (
        differ("position 0", {"y": y[::t]}, "x", {"y": x[::t]})
        or differ(f"y beside the pair of column {column}", {"y": np.abs(others)}, "zero", {"y": np.zeros_like(others)})
        or differ("B(x, F(x))", {"dx": back}, "x", {"dx": x}, {"dx": [near]})
        or differ("the norms of y", {"y": norms[0]}, "of x", {"y": norms[1]}, {"y": [near * x.shape[1]]})
        or (differ("R_a R_b x", {"y": again[b]}, "R_(a+b) x", {"y": once[a + b]}, {"y": [near]}) if n else None)
        or differ(
            "⟨R_(m+b) q, R_b k⟩",
            {"y": np.array(product[1])},
            "⟨R_m q, R_0 k⟩",
            {"y": np.array(product[0])},
            {"y": [2 * near * x.shape[1] * size_of(trial.x2)]},
        )
    )


def _partner(info: Info, column: int) -> int:
    """The column with which a column is rotated: its neighbour, or that half a head further; itself where unknown."""
    half = info.sizes.get("half", 0)
    if info.options.get("interleaved", False) or not half:
        return column ^ 1
    head, place = divmod(column, 2 * half)
    return head * 2 * half + (place + half) % (2 * half)


def _looks_up(trial: Trial) -> Difference | None:
    layer, table, ids = trial.layer, trial.p, trial.x
    (numbers,) = arrays_in(table)
    v, d = numbers.shape
    padding = layer.info.options.get("padding_id")
    dy = np.where((ids == padding)[:, None], np.float32(0), trial.dy)
    start = arrays_in(layer.init(Key(trial.seed)))[0][v if padding is None else padding :][:1]
    onehot, dense = np.eye(v, dtype=np.float32)[ids], _linear(len(ids), v, d)
    flat = np.ascontiguousarray(numbers.T)
    one, two = layer.fwd(table, ids), dense.fwd(flat, onehot)
    y = differ("the rows", {"y": one.y + np.float32(0)}, "one-hot;LinearNB", {"y": two.y + np.float32(0)})
    gradient = layer.bwd(table, one.s, trial.dy, layer.zeros()).g
    wanted = dense.bwd(flat, two.s, dy, dense.zeros()).g.T
    scattered = np.zeros((v, d))
    np.add.at(scattered, ids, dy.astype(np.float64))
    near = {"dp": [ROUNDING * max(len(ids), 1) * size_of(trial.dy)]}
    (got,) = arrays_in(gradient)
    return (
        y
        or differ("dp", {"dp": got}, "dW of one-hot;LinearNB", {"dp": np.ascontiguousarray(wanted)}, near)
        or differ("dp", {"dp": got}, "the scattered dy", {"dp": scattered.astype(np.float32)}, near)
        or differ("the padding's row", {"init": start}, "zeros", {"init": np.zeros_like(start)})
    )


def _products(trial: Trial) -> Difference | None:
    f, generator = trial.layer, trial.generator(64)
    n, i = trial.x.shape
    (w,) = arrays_in(trial.p)
    g, whole = _linear(n, len(w), 3), _linear(n, i, 3)
    q = parameters(g, generator, trial.kind)
    (second,) = arrays_in(q)
    product = (second.astype(np.float64) @ w).astype(np.float32)
    y, wanted = (f >> g).fwd((trial.p, q), trial.x).y, whole.fwd(product, trial.x).y
    slack = HIDDEN * size_of(w) * size_of(second) * size_of(trial.x) * len(w) * i
    return differ("LinearNB;LinearNB", {"y": y}, "LinearNB of the product", {"y": wanted}, {"y": [slack]})


def _drops(trial: Trial) -> Difference | None:
    layer, p = trial.layer, trial.p
    rate = layer.info.options.get("p")
    if not isinstance(rate, float):
        raise NotHereError("its info.options do not name p, the probability to drop")
    ones = np.ones(trial.x.shape, np.float32)
    mask = layer.fwd(p, ones).y
    forward = layer.fwd(p, trial.x)
    back = layer.bwd(p, forward.s, trial.dy, layer.zeros()).dx
    quiet = layer.eval()
    found = (
        differ("y", {"y": forward.y}, "x · mask", {"y": trial.x * mask})
        or differ("dx", {"dx": back}, "dy · the same mask", {"dx": trial.dy * mask})
        or differ("evaluation", {"y": quiet.fwd(p, trial.x).y}, "x", {"y": trial.x})
        or differ("again at this step", {"mask": layer.fwd(p, ones).y}, "the mask", {"mask": mask})
    )
    if found is not None or rate in (0.0, 1.0):
        return found
    levels = np.unique(mask)
    scale = np.float32(1) / (np.float32(1) - np.float32(rate))
    if not set(levels.tolist()) <= {0.0, float(scale)}:
        return Difference("the mask", "a factor", str(levels), "0 and 1 / (1 - p)", str(scale))
    counts = [mapped(lambda a, k=k: np.full_like(a, k) if a.dtype.kind == "u" else a, p) for k in range(STEPS)]  # type: ignore[misc]
    dropped = np.array([layer.fwd(count, ones).y.reshape(-1) == 0 for count in counts])
    return _by_chance(dropped, rate)


def _by_chance(dropped: Array, rate: float) -> Difference | None:
    """Whether as many are dropped, and as many pairs of neighbours and of successive steps, as chance would.

    Six deviations; pairs that share a number vary together.
    """
    both = rate**2
    for name, hits, share, variance in (
        ("numbers", dropped, rate, rate * (1 - rate)),
        ("neighbours together", dropped[:, 1:] & dropped[:, :-1], both, both * (1 + 2 * rate - 3 * both)),
        ("steps together", dropped[1:] & dropped[:-1], both, both * (1 + 2 * rate - 3 * both)),
    ):
        spread = 6 * np.sqrt(variance * hits.size) + 1
        if abs(int(hits.sum()) - share * hits.size) > spread:
            got = f"{int(hits.sum())} of {hits.size} {name}"
            return Difference("the masks", "dropped", got, "the law", f"{share:g} of them, ± {spread:.0f}")
    return None


def _undone(trial: Trial) -> Difference | None:
    forward = trial.layer.fwd(trial.p, trial.x)
    back = trial.layer.bwd(trial.p, forward.s, forward.y, trial.layer.zeros()).dx
    return differ("B(F(x))", side({"dx": back}), "x", side({"dx": trial.x}))


NAMED: Final = (
    Law(
        "L62",
        "rotations",
        "position 0, norms and pairs stay, rotations add, ⟨R_m q, R_n k⟩ depends on m - n, backward rotates back",
        CLOSE,
        _rotates,
        ORDINARY,
        of=("RoPE",),
        hint="the two numbers of a pair are rotated by two angles, or backward by the angle of forward",
    ),
    Law(
        "L63",
        "an embedding is a product with one-hot rows",
        "Embedding ≡ one-hot;LinearNB; its gradient adds rows of dy by their ids; the padding starts as 0 and has none",
        CLOSE,
        _looks_up,
        ORDINARY,
        of=("Embedding",),
        hint="ids that come twice overwrite each other's gradient",
    ),
    Law(
        "L64",
        "two linear layers are one",
        "LinearNB;LinearNB ≡ LinearNB of the product",
        CLOSE,
        _products,
        ORDINARY,
        of=("LinearNB",),
        hint="the weight is used transposed",
    ),
    Law(
        "L65",
        "dropout",
        "y = x·mask and dx = dy·mask with one mask for a step, of 0 and 1 / (1 - p), by chance; evaluation is Id",
        EXACT,
        _drops,
        ORDINARY,
        of=("Dropout",),
        hint="the passes draw two masks, or the factor 1 / (1 - p) is missing",
    ),
    Law(
        "L66",
        "backward undoes a regrouping",
        "B(F(x)) = x",
        EXACT,
        _undone,
        EVERY,
        of=("Id", "Swap", "Assoc", "Split", "Concat", "Reshape", "Permute"),
        hint="the gradient is regrouped in another order",
    ),
)
