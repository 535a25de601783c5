"""numpy's functions and methods: wrong shapes, and shapes that are not static where one is required."""

from __future__ import annotations

from typing import Any

import numpy as np

from bendtorch import Dim, Ids, Linear, Mat
from bendtorch.shapes.dims import C, D, N

Vector = np.ndarray[tuple[C], np.dtype[np.float32]]


def elementwise(x: Mat[N, C], y: Mat[N, D], a: Mat[3, 4], b: Mat[3, 5]) -> None:
    np.add(a, b)  # E: np.add: Mat[3, 4] and Mat[3, 5] have different shapes  [bend-shape]
    np.maximum(x, y)  # E: np.maximum: Mat[N, C] and Mat[N, D] have different shapes  [bend-shape]
    np.where(a > 0, a, b)  # E: where: bool[3, 4] and Mat[3, 4] and Mat[3, 5] have different shapes  [bend-shape]
    a > b  # E: Mat[3, 4] and Mat[3, 5] have different shapes  [bend-shape]
    wrong: Mat[3, 5] = np.exp(a)  # E: the value is Mat[3, 4], declared Mat[3, 5]  [assignment]
    broadcast: Mat[N, D] = x - x.sum(axis=1, keepdims=True)  # E: the value is Mat[N, C], declared Mat[N, D]  [assignment]
    wide: Mat[3, 4] = np.exp(a.astype(np.float64))  # E: the value is float64[3, 4], declared Mat[3, 4]; convert it with .astype(np.float32)  [assignment]
    a * a.astype(np.int64) + b  # E: float64[3, 4] and Mat[3, 5] have different shapes  [bend-shape]


def reductions(x: Mat[N, C]) -> Mat[N, 1]:
    rows: Mat[N, 1] = np.sum(x, axis=0, keepdims=True)  # E: the value is Mat[1, C], declared Mat[N, 1]  [assignment]
    flat: Mat[N, 1] = x.sum(axis=1)  # E: the value is float32[N], declared Mat[N, 1]; make it a column with [:, None]  [assignment]
    gone = x.sum(axis=2)  # E: sum: an array of 2 axes has no axis 2; the last is 1  [bend-shape]
    labels: Ids[N] = np.argmax(x, axis=0)  # E: the value is Ids[C], declared Ids[N]  [assignment]
    return np.max(x, axis=0)  # E: the returned value is float32[C], declared Mat[N, 1]  [return-value]


def centred(x: Mat[N, C]) -> Mat[N, C]:
    return x - x.mean(axis=1)  # E: Mat[N, C] and float32[N] have different shapes  [bend-shape]


def products(x: Mat[N, C], y: Mat[N, D]) -> Mat[D, C]:
    np.dot(x, y)  # E: dot: Mat[N, C] @ Mat[N, D]: inner sizes C and N differ; the left side turned round with .T fits  [bend-shape]
    np.matmul(x, y)  # E: matmul: Mat[N, C] @ Mat[N, D]: inner sizes C and N differ; the left side turned round with .T fits  [bend-shape]
    x.dot(y)  # E: dot: Mat[N, C] @ Mat[N, D]: inner sizes C and N differ; the left side turned round with .T fits  [bend-shape]
    np.einsum("ni,io->no", x, y)  # E: einsum: i is C, but N in the second array, Mat[N, D]  [bend-shape]
    np.einsum("nio,no->io", x, y)  # E: einsum: "nio,no->io" does not name the axes of Mat[N, C], Mat[N, D]  [bend-shape]
    np.einsum("ni,no->ik", x, y)  # E: einsum: "ni,no->ik" gives an axis that no operand has  [bend-shape]
    return np.einsum("ni,no->io", x, y)  # E: the returned value is Mat[C, D], declared Mat[D, C]; turn it round with .T  [return-value]


def joined(x: Mat[N, C], y: Mat[N, D]) -> Mat[N, C]:
    np.concatenate([x, y])  # E: concatenate: Mat[N, C] and Mat[N, D] differ beside axis 0; axis 1 would do  [bend-shape]
    np.vstack([x, y])  # E: vstack: Mat[N, C] and Mat[N, D] differ beside axis 0; axis 1 would do  [bend-shape]
    np.stack([x, y])  # E: stack: Mat[N, C] and Mat[N, D] differ beside axis 0  [bend-shape]
    np.concatenate([x, y], axis=2)  # E: concatenate: Mat[N, C], Mat[N, D] cannot be joined along axis 2; the last is 1  [bend-shape]
    return np.hstack([x, y])  # E: the returned value is Mat[N, C + D], declared Mat[N, C]  [return-value]


def indexed(x: Mat[N, C], y: Mat[6, 8], k: int, which: Ids[D]) -> Mat[6, 3]:
    x[0, 1, 2]  # E: Mat[N, C] has 2 axes, 3 indices given  [bend-shape]
    first: Mat[3, C] = x[:3]  # E: the value is Mat[int, C], declared Mat[3, C]; a size of it is not static, state it with mat(n, c, array)  [assignment]
    some: Mat[6, 3] = y[:, :k]  # E: the value is Mat[6, int], declared Mat[6, 3]; a size of it is not static, state it with mat(n, c, array)  [assignment]
    picked: Mat[N, C] = x[which]  # E: the value is Mat[D, C], declared Mat[N, C]  [assignment]
    masked: Mat[N, C] = x[x[:, 0] > 0]  # E: the value is Mat[int, C], declared Mat[N, C]; a size of it is not static, state it with mat(n, c, array)  [assignment]
    return y[:, 2:6]  # E: the returned value is Mat[6, 4], declared Mat[6, 3]  [return-value]


def reshaped(n: Dim[N], x: Mat[N, C], y: Mat[6, 8]) -> Mat[N, C]:
    y.reshape(5, 9)  # E: reshape: Mat[6, 8] has 48 numbers, the shape (5, 9) has 45  [bend-shape]
    turned: Mat[N, C] = x.transpose()  # E: the value is Mat[C, N], declared Mat[N, C]; turn it round with .T  [assignment]
    open: Mat[4, 12] = y.reshape(3, -1)  # E: the value is Mat[3, 16], declared Mat[4, 12]  [assignment]
    return x.reshape(3, n)  # E: the returned value is Mat[3, N], declared Mat[N, C]  [return-value]


def not_static(x: Mat[3, 4], n: int) -> Mat[3, 4]:
    tiled: Mat[6, 4] = np.tile(x, (2, 1))  # E: the value is float32[...], declared Mat[6, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    loaded: Mat[3, 4] = np.load("file")  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    of_list: Mat[3, 4] = np.array([[1.0, 2.0]], np.float32)  # E: the value is Mat[1, 2], declared Mat[3, 4]  [assignment]
    of_python: Mat[1, 2] = np.array([[1.0, 2.0]])  # E: the value is float64[1, 2], declared Mat[1, 2]; convert it with .astype(np.float32)  [assignment]
    whole: Mat[1, 2] = np.array([[1, 2]])  # E: the value is int64[1, 2], declared Mat[1, 2]; convert it with .astype(np.float32)  [assignment]
    shuffled: Mat[3, 4] = np.random.default_rng(0).normal(size=(3, 4))  # E: the value is float64[3, 4], declared Mat[3, 4]; convert it with .astype(np.float32)  [assignment]
    layer = Linear(3, 4, 5)
    layer.fwd(layer.zeros(), np.tile(x, (1, 1)))  # E: Layer.fwd: "x" is float32[...], the layer takes Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [arg-type]
    result = np.tile(x, (1, 1))
    return result  # E: the returned value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [return-value]


def gradual(x: Mat[3, 4], anything: Any) -> Mat[3, 4]:
    return x + anything  # E: the returned value is Any, declared Mat[3, 4]; state its shape with mat(n, c, array) or ids(n, array)  [no-any-return]


def in_place(n: Dim[N], c: Dim[C]) -> Mat[N, C]:
    layer = Linear(4, 3, 2)
    layer.fwd(layer.zeros(), np.ones((7,), np.float32))  # E: Layer.fwd: "x" is float32[7], the layer takes Mat[4, 3]  [arg-type]
    one: Mat[4, 3] = np.zeros((7,), np.float32)  # E: the value is float32[7], declared Mat[4, 3]  [assignment]
    three: Mat[4, 3] = np.zeros((4, 3, 1), np.float32)  # E: the value is float32[4, 3, 1], declared Mat[4, 3]  [assignment]
    none: Mat[4, 3] = np.zeros((), np.float32)  # E: the value is float32[], declared Mat[4, 3]  [assignment]
    full: Mat[4, 3] = np.full((2, 2, 2), 0, np.float32)  # E: the value is float32[2, 2, 2], declared Mat[4, 3]  [assignment]
    empty: Mat[4, 3] = np.empty([4, 4], np.float32)  # E: the value is Mat[4, 4], declared Mat[4, 3]  [assignment]
    named: Mat[4, 3] = np.zeros(dtype=np.float32, shape=(4, 3, 1))  # E: the value is float32[4, 3, 1], declared Mat[4, 3]  [assignment]
    bare: Mat[4, 3] = np.ndarray((2, 2), np.float32)  # E: the value is Mat[2, 2], declared Mat[4, 3]  [assignment]
    random: Mat[4, 3] = np.random.rand(4, 9).astype(np.float32)  # E: the value is Mat[4, 9], declared Mat[4, 3]  [assignment]
    return np.zeros((n, c, 1), np.float32)  # E: the returned value is float32[N, C, 1], declared Mat[N, C]  [return-value]


def without_rule(x: Mat[3, 4], square: Mat[4, 4], rng: np.random.Generator) -> Mat[3, 4]:
    differences: Mat[3, 4] = np.diff(x)  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    turned: Mat[3, 4] = np.rot90(x)  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    rolled: Mat[3, 4] = np.rollaxis(x, 1)  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    deleted: Mat[3, 4] = np.delete(x, 0, axis=0)  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    inserted: Mat[3, 4] = np.insert(x, 0, 1.0, axis=0)  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    appended: Mat[3, 4] = np.append(x, x, axis=0)  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    part: Mat[3, 4] = np.split(x, 2)[0]  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    column: Mat[3, 4] = np.hsplit(x, 2)[0]  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    item: Mat[3, 4] = list(x.T)[0]  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    unstacked: Mat[3, 4] = np.unstack(x)[0]  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    remainder: Mat[3, 4] = divmod(x.T, 2.0)[0]  # E: the value is floating[Any][...], declared Mat[3, 4]  [assignment]
    left: Mat[3, 4] = np.linalg.svd(x)[0]  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    vectors: Mat[3, 4] = np.linalg.eigh(square).eigenvectors  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    both: Mat[3, 4] = np.broadcast_arrays(x, x.T)[0]  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    counts: Mat[3, 4] = np.histogram(x)[0]  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    fraction: Mat[3, 4] = np.modf(x)[0]  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    padded: Mat[3, 4] = np.pad(x, 1)  # E: the value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    picked: Mat[3, 4] = rng.choice(x)  # E: the value is array[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [assignment]
    moved: Mat[3, 4] = np.moveaxis(x, 0, 1)  # E: the value is Mat[4, 3], declared Mat[3, 4]; turn it round with .T  [assignment]
    shaped: Mat[3, 4] = np.empty_like(x, shape=(4, 3))  # E: the value is Mat[4, 3], declared Mat[3, 4]; turn it round with .T  [assignment]
    shuffled: Mat[3, 4] = rng.permutation(x.T)  # E: the value is Mat[4, 3], declared Mat[3, 4]; turn it round with .T  [assignment]
    last: Mat[3, 4] = x.mT  # E: the value is Mat[4, 3], declared Mat[3, 4]; turn it round with .T  [assignment]
    first, second = np.split(x, 2)
    return first  # E: the returned value is float32[...], declared Mat[3, 4]; its shape is not static, state it with mat(n, c, array)  [return-value]


def compared(a: Mat[3, 4], b: Mat[4, 3]) -> None:
    a == b  # E: Mat[3, 4] and Mat[4, 3] have different shapes; turn one of them round with .T  [bend-shape]
    a != b  # E: Mat[3, 4] and Mat[4, 3] have different shapes; turn one of them round with .T  [bend-shape]
    (a > 0) & (b > 0)  # E: bool[3, 4] and bool[4, 3] have different shapes; turn one of them round with .T  [bend-shape]
    np.broadcast_to(a, (4, 3))  # E: broadcast_to: Mat[3, 4] cannot be broadcast to Mat[4, 3]  [bend-shape]
