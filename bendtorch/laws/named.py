"""L62 to L66, L68: what layers do that have a name: RoPE, Embedding, LinearNB, Dropout, reshapes, convolutions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bendtorch.laws.law import CLOSE, EXACT, Difference, Law, NotHereError, differ
from bendtorch.laws.nest import arrays_in
from bendtorch.laws.sides import HIDDEN, ROUNDING, side, size_of
from bendtorch.laws.trial import EVERY, ORDINARY, Trial, parameters
from bendtorch.layers.linear_nb import LinearNB

_linear: Any = LinearNB


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
    product = [once[i].astype(np.float64) @ other[j] for i, j in ((a, 0), (a + b, b))] if n else [0.0, 0.0]
    return (
        differ("position 0", {"y": y[::t]}, "x", {"y": x[::t]})
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


def _looks_up(trial: Trial) -> Difference | None:
    layer, table, ids = trial.layer, trial.p, trial.x
    (numbers,) = arrays_in(table)
    v, d = numbers.shape
    onehot, dense = np.eye(v, dtype=np.float32)[ids], _linear(len(ids), v, d)
    flat = np.ascontiguousarray(numbers.T)
    one, two = layer.fwd(table, ids), dense.fwd(flat, onehot)
    y = differ("the rows", {"y": one.y + np.float32(0)}, "one-hot;LinearNB", {"y": two.y + np.float32(0)})
    gradient = layer.bwd(table, one.s, trial.dy, layer.zeros()).g
    wanted = dense.bwd(flat, two.s, trial.dy, dense.zeros()).g.T
    scattered = np.zeros((v, d))
    np.add.at(scattered, ids, trial.dy.astype(np.float64))
    near = {"dp": [ROUNDING * max(len(ids), 1) * size_of(trial.dy)]}
    (got,) = arrays_in(gradient)
    return (
        y
        or differ("dp", {"dp": got}, "dW of one-hot;LinearNB", {"dp": np.ascontiguousarray(wanted)}, near)
        or differ("dp", {"dp": got}, "the scattered dy", {"dp": scattered.astype(np.float32)}, near)
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
    spread = 6 * np.sqrt(rate * (1 - rate) * max(mask.size, 1)) + 1
    dropped = int(np.sum(mask == 0))
    if abs(dropped - rate * mask.size) > spread:
        return Difference(
            "the mask", "dropped", f"{dropped} of {mask.size}", "the law", f"{rate} of them, ± {spread:.0f}"
        )
    return None


def _undone(trial: Trial) -> Difference | None:
    forward = trial.layer.fwd(trial.p, trial.x)
    back = trial.layer.bwd(trial.p, forward.s, forward.y, trial.layer.zeros()).dx
    return differ("B(F(x))", side({"dx": back}), "x", side({"dx": trial.x}))


def _translates(trial: Trial) -> Difference | None:
    info = trial.layer.info
    if not {"c", "h", "w"} <= info.sizes.keys() or not {"stride", "padding"} <= info.options.keys():
        raise NotHereError("it does not name its images' sizes (c, h, w), its stride and padding")
    c, h, w = (info.sizes[name] for name in ("c", "h", "w"))
    kh, kw = (info.sizes.get(name, info.sizes.get("k", 1)) for name in ("kh", "kw"))
    stride, padding = (int(str(info.options[name])) for name in ("stride", "padding"))
    n, rows, columns = len(trial.x), (h + 2 * padding - kh) // stride + 1, (w + 2 * padding - kw) // stride + 1
    if not n:
        raise NotHereError("there is no image")
    image = trial.x.reshape(n, c, h, w)
    moved = np.roll(image, stride, axis=2).reshape(trial.x.shape)
    # Windows from row `top` on lie inside of the image before and after it is moved.
    top = -(-padding // stride)
    inside = [r for r in range(top, rows - 1) if (r + 1) * stride - padding + kh <= h and r * stride >= padding]
    across = [s for s in range(columns) if s * stride - padding >= 0 and s * stride - padding + kw <= w]
    if not inside or not across:
        raise NotHereError("no window stays inside of the image")
    y, shifted = (trial.layer.fwd(trial.p, x).y.reshape(n, -1, rows, columns) for x in (trial.x, moved))
    below = [r + 1 for r in inside]
    one, two = shifted[:, :, below][..., across], y[:, :, inside][..., across]
    slack = {"y": [4 * ROUNDING * (1 + size_of(y)) * max([1.0, *map(size_of, arrays_in(trial.p))])]}
    return differ("y of the image moved down", {"y": one}, "y moved down", {"y": two}, slack)


NAMED: Final = (
    Law(
        "L62",
        "rotations",
        "position 0 stays, rotations add, norms stay, ⟨R_m q, R_n k⟩ depends on m - n, backward rotates back",
        CLOSE,
        _rotates,
        ORDINARY,
        of=("RoPE",),
        hint="the two numbers of a pair are rotated by two angles, or backward by the angle of forward",
    ),
    Law(
        "L63",
        "an embedding is a product with one-hot rows",
        "Embedding ≡ one-hot;LinearNB, and its gradient adds rows of dy by their ids",
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
        "y = x·mask and dx = dy·mask with one mask for a step, of 0 and 1 / (1 - p); evaluation is Id",
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
    Law(
        "L68",
        "windows commute with translation",
        "an image moved by a stride gives y moved by one, inside of the borders",
        CLOSE,
        _translates,
        ORDINARY,
        "a window stays inside of the image",
        of=("Conv2d", "MaxPool2d", "AvgPool2d"),
        hint="the window starts at another cell than row·stride - padding",
    ),
)
