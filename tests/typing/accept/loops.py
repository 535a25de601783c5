"""Sizes that are bound once in each turn of a loop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from typing_extensions import assert_type

from bendtorch import (
    CrossEntropy,
    Dim,
    Ids,
    Layer,
    Linear,
    LinearFirst,
    Mat,
    ReLU,
    Train,
    batches,
    ids,
    mat,
)
from bendtorch.shapes.dims import M, N


def mlp(n: Dim[N]) -> Layer[Any, Mat[N, 64], Mat[N, 10], Any]:
    return LinearFirst(n, 64, 64) >> ReLU(n, 64) >> Linear(n, 64, 10)


# ---- the usual loop over batches
def training(train: Train[Any], x: Mat[M, 64], labels: Ids[M]) -> list[float]:
    losses = []
    total, best = 0.0, None
    history: list[object] = []
    for epoch in range(3):
        for b in batches(x, labels, 32).epoch(epoch):
            n = b.n
            model = mlp(n)
            loss = train.step(model, CrossEntropy(n, 10), mat(n, 64, b.x), ids(n, b.target))
            losses.append(loss)
            history.append((n, loss))
            total += loss * n
            best = loss if best is None or loss < best else best
            mlp(b.n).fwd(train.p, mat(b.n, 64, b.x))
    print(loss, total, best, history)
    return losses


# ---- the loop's own variable; names of names; branches and blocks inside
def of_sizes(sizes: list[int], flag: bool) -> None:
    for k in sizes:
        m, h = 2 * k, 64
        net = ReLU(3, k) >> Linear(3, m - k, h) >> ReLU(3, 64)
        if flag:
            wide = net >> Linear(3, 64, m)
            wide >> ReLU(3, k + k)
        with contextlib.suppress(ValueError):
            net >> ReLU(3, h)
        same = [ReLU(3, k) for _ in range(3)]
        same[0] >> same[1]
        same.append(ReLU(3, k))
        print(sum(layer.count() for layer in same))
        for c in sizes:
            both = Linear(k, c, m) >> ReLU(k, 2 * k)
            assert_type(both.zeros()[1], tuple[()])
    while flag:
        rows = len(sizes)
        ReLU(rows, 4) >> ReLU(rows, 4)


# ---- the loop's own variable may be looked at behind the loop
def behind(sizes: list[int]) -> None:
    for place, k in enumerate(sizes):
        ReLU(3, k) >> ReLU(3, k)
    print(place, k)


# ---- what outlives a turn has a type of its own
def outliving(sizes: list[int]) -> None:
    layers: list[Layer[Any, Any, Any, Any]] = []
    by_size: dict[int, Callable[[], object]] = {}
    count, names = 0, []
    for k in sizes:
        layers.append(ReLU(3, k))
        count += k
        names.append(f"{k}")
        names.append(str(k))


for number in [3, 4]:
    doubled = number + number
    ReLU(doubled, 4) >> ReLU(2 * number, 4)

# ---- a name bound once to any number
rows_and_more = len(str(number)) + 4
ReLU(3, rows_and_more) >> ReLU(3, rows_and_more)
