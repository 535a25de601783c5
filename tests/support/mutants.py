"""A layer with one fault planted in it, to see that the laws find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from bendtorch.layer import Bwd, Fwd, Info, Leaf, describe, make_layer, zeros_init
from bendtorch.layers import Lin
from bendtorch.shapes.spec import mat_spec


def affine(n: Any, i: Any, o: Any, fault: str = "", ending: Callable[..., Any] | None = None) -> Any:
    """y = x · tanh(W)ᵀ + b in plain numpy, right but for `fault`; `ending(db, dy)` gives another gradient of b."""
    buffer = np.empty((n, o), np.float32)
    calls = [0]

    def fwd(p: Any, x: Any) -> Any:
        y = x @ np.tanh(p.weight).T + p.bias
        if fault == "x is changed":
            x *= 2
        if fault == "a stale buffer":
            buffer[...] = y
            y = buffer
        if fault == "elements see each other":
            y = y - y.mean(axis=0, keepdims=True) if n else y
        if fault == "another result each time":
            calls[0] += 1
            y = y + np.float32(calls[0])
        return Fwd(y, np.zeros_like(x) if fault == "x is not saved" else x)

    def bwd(p: Any, s: Any, dy: Any, g: Any) -> Any:
        w = np.tanh(p.weight)
        dw, db = (dy.T @ s) * (1 - w * w), dy.sum(axis=0, keepdims=True)
        dx = dy @ w
        if ending is not None:
            db = ending(db, dy)
        end: Callable[..., Any] = FAULTS_OF_BWD.get(fault, right)
        return end(p, s, dy, g, dx, dw, db)

    layer = make_layer(
        describe(
            [Leaf("weight", (o, i), zeros_init), Leaf("bias", (1, o), zeros_init)], Lin, lambda p: (p.weight, p.bias)
        ),
        fwd,
        bwd,
        Info("Affine", {"n": n, "i": i, "o": o}, mat_spec(n, i), mat_spec(n, o), mat_spec(n, i)),
    )
    change = FAULTS_OF_PARAMETERS.get(fault)
    return layer if change is None else replace(layer, **change(layer))


def right(p: Any, s: Any, dy: Any, g: Any, dx: Any, dw: Any, db: Any) -> Any:
    """The backward pass as it should end."""
    np.add(g.weight, dw, out=g.weight)
    np.add(g.bias, db, out=g.bias)
    return Bwd(dx, g)


def _overwriting(p: Any, s: Any, dy: Any, g: Any, dx: Any, dw: Any, db: Any) -> Any:
    g.weight[...] = 0
    return right(p, s, dy, g, dx, dw, db)


def _averaging(p: Any, s: Any, dy: Any, g: Any, dx: Any, dw: Any, db: Any) -> Any:
    return right(p, s, dy, g, dx, dw, db / np.float32(max(len(dy), 1)))


def _adding_apart(p: Any, s: Any, dy: Any, g: Any, dx: Any, dw: Any, db: Any) -> Any:
    return Bwd(dx, Lin(g.weight + dw, g.bias + db))


def _scaling_dy(p: Any, s: Any, dy: Any, g: Any, dx: Any, dw: Any, db: Any) -> Any:
    dy *= 2
    return right(p, s, dy, g, dx, dw, db)


def _scaling_s(p: Any, s: Any, dy: Any, g: Any, dx: Any, dw: Any, db: Any) -> Any:
    s += 1
    return right(p, s, dy, g, dx, dw, db)


FAULTS_OF_BWD: Final[dict[str, Callable[..., Any]]] = {
    "db is dropped": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, dx, dw, np.zeros_like(db)),
    "a factor is dropped": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, dx, dy.T @ s, db),
    "a product is transposed": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, dy @ np.tanh(p.weight).T, dw, db),
    "dw is transposed": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, dx, dw.T, db),
    "a sign is wrong": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, -dx, dw, db),
    "a mean in place of a sum": lambda p, s, dy, g, dx, dw, db: right(
        p, s, dy, g, dx, dw, db / np.float32(len(dy) or 1)
    ),
    "g is overwritten": _overwriting,
    "g is not added to in place": _adding_apart,
    "dy is changed": _scaling_dy,
    "s is changed": _scaling_s,
    "dx is float64": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, dx.astype(np.float64), dw, db),
    "dx is transposed": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, dx.T, dw, db),
    "a constant is added": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, dx + np.float32(0.01), dw, db),
    "dy is clipped": lambda p, s, dy, g, dx, dw, db: right(p, s, dy, g, np.clip(dy, -1, 1) @ np.tanh(p.weight), dw, db),
    "dx is clipped to the normal range": lambda p, s, dy, g, dx, dw, db: right(
        p, s, dy, g, np.where(np.abs(dx) < 2**-6, np.float32(0), dx), dw, db
    ),
}

FAULTS_OF_PARAMETERS: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    "load forgets the bias": lambda layer: {"load": lambda p, flat, at: _load_weight(p, flat, at, layer.count())},
    "store returns its offset": lambda layer: {"store": lambda p, flat, at: layer.store(p, flat, at) * 0 + at},
    "store writes too much": lambda layer: {"store": lambda p, flat, at: _store_more(layer, p, flat, at)},
    "store writes what there is room for": lambda layer: {"store": lambda p, flat, at: _store_some(layer, p, flat, at)},
    "view forgets its offset": lambda layer: {"view": lambda flat, at: layer.view(flat, 0)},
    "dump has another order": lambda layer: {
        "dump": lambda p: np.concatenate([p.bias.reshape(-1), p.weight.reshape(-1)]),
    },
    "count forgets the bias": lambda layer: {"count": lambda: layer.leaves[0].cells},
}

EXPECTED: Final[dict[str, str]] = {
    "x is changed": "L33",
    "a stale buffer": "L33",
    "elements see each other": "L31",
    "another result each time": "L33",
    "x is not saved": "L27",
    "db is dropped": "L27",
    "a factor is dropped": "L27",
    "a product is transposed": "L27",
    "dw is transposed": "L27",
    "a sign is wrong": "L27",
    "a mean in place of a sum": "L31",
    "g is overwritten": "L32",
    "g is not added to in place": "L32",
    "dy is changed": "L33",
    "s is changed": "L33",
    "dx is float64": "L25",
    "dx is transposed": "L25",
    "a constant is added": "L24",
    "dy is clipped": "L24",
    "dx is clipped to the normal range": "L35",
    "load forgets the bias": "L46",
    "store returns its offset": "L46",
    "store writes too much": "L46",
    "store writes what there is room for": "L46",
    "view forgets its offset": "L46",
    "dump has another order": "L47",
    "count forgets the bias": "L48",
}
"""For each fault the law that must find it."""

SQUARE: Final = frozenset({"a product is transposed", "dw is transposed", "dx is transposed"})
"""Faults that are no error of shapes only where the layer is square."""


def faults(*laws: str) -> list[str]:
    """The faults that these laws must find."""
    return [fault for fault, law in EXPECTED.items() if law in laws]


def mutant(fault: str) -> Callable[..., Any]:
    """A function of sizes that builds the layer with the fault."""
    if fault in SQUARE:
        return lambda n, c: affine(n, c, c, fault)
    return lambda n, i, o: affine(n, i, o, fault)


def _load_weight(p: Any, flat: Any, at: int, count: int) -> int:
    p.weight[...] = flat[at : at + p.weight.size].reshape(p.weight.shape)
    return at + count


def _store_some(layer: Any, p: Any, flat: Any, at: int) -> int:
    numbers = layer.dump(p)[: max(len(flat) - at, 0)]
    flat[at : at + len(numbers)] = numbers
    return at + int(layer.count())


def _store_more(layer: Any, p: Any, flat: Any, at: int) -> int:
    end: int = layer.store(p, flat, at)
    flat[end:] = 0
    return end
