"""numpy's functions and methods with exact shapes."""

from __future__ import annotations

import numpy as np
from typing_extensions import assert_type

from bendtorch import Dim, Ids, Mat, mat
from bendtorch.shapes.dims import A, B, C, D, M, N

Vector = np.ndarray[tuple[C], np.dtype[np.float32]]
Wide = np.ndarray[tuple[N, C], np.dtype[np.float64]]
Truth = np.ndarray[tuple[N, C], np.dtype[np.bool_]]


def elementwise(x: Mat[N, C], y: Mat[N, C], row: Mat[1, C], column: Mat[N, 1], v: Vector[C]) -> None:
    assert_type(np.exp(x), Mat[N, C])
    assert_type(np.sqrt(np.abs(x - y)), Mat[N, C])
    assert_type(np.maximum(x, 0), Mat[N, C])
    assert_type(np.add(x, y), Mat[N, C])
    assert_type(np.where(x > 0, x, 0.0), Mat[N, C])
    assert_type(np.clip(x, -1, 1), Mat[N, C])
    assert_type(x.clip(-1, 1), Mat[N, C])
    assert_type(x > y, Truth[N, C])
    assert_type(np.isnan(x), Truth[N, C])
    assert_type(np.float32(2) * x, Mat[N, C])
    assert_type(1 / x, Mat[N, C])
    assert_type(-x**2, Mat[N, C])
    assert_type(row - x, Mat[N, C])
    assert_type(row * column, Mat[N, C])
    assert_type(x + v, Mat[N, C])
    assert_type(x / x.sum(axis=1, keepdims=True), Mat[N, C])
    assert_type(x.astype(np.float64), Wide[N, C])
    assert_type(x * x.astype(np.float64), Wide[N, C])
    assert_type(np.exp(x.astype(np.float64)).astype(np.float32), Mat[N, C])


def softmax(x: Mat[N, C]) -> Mat[N, C]:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def reductions(x: Mat[N, C]) -> None:
    assert_type(x.sum(axis=0), Vector[C])
    assert_type(x.sum(0, keepdims=True), Mat[1, C])
    assert_type(np.mean(x, axis=1, keepdims=True), Mat[N, 1])
    assert_type(np.max(x, axis=(0, 1), keepdims=True), Mat[1, 1])
    assert_type(x.std(axis=-1), Vector[N])
    assert_type(np.cumsum(x, axis=0), Mat[N, C])
    labels: Ids[N] = np.argmax(x, axis=1)
    total = float(np.sum(x)) + float(x.max())


def products(x: Mat[N, C], y: Mat[N, D], v: Vector[C]) -> None:
    assert_type(np.dot(x.T, y), Mat[C, D])
    assert_type(np.matmul(x.T, y), Mat[C, D])
    assert_type(x.T.dot(y), Mat[C, D])
    assert_type(x @ v, Vector[N])
    assert_type(np.einsum("ni,no->io", x, y), Mat[C, D])
    assert_type(np.einsum("ni,no,nk->iok", x, y, x).sum(axis=2), Mat[C, D])
    assert_type(np.einsum("ij->ji", x), Mat[C, N])
    assert_type(np.einsum("ni,no", x, y), Mat[C, D])


def joined(n: Dim[N], a: Dim[A], b: Dim[B], x: Mat[N, A], y: Mat[N, B]) -> None:
    both = np.concatenate([x, y], axis=1)
    assert_type(both, Mat[N, "A+B"])
    assert_type(np.hstack((x, y)), Mat[N, "A+B"])
    assert_type(np.vstack([x.T, y.T]), Mat["A+B", N])
    assert_type(np.stack([x, x])[0], Mat[N, A])
    assert_type(both[:, :a], Mat[N, A])
    assert_type(both[:, a:], Mat[N, B])
    assert_type(both[:, a : a + b], Mat[N, B])


def indexed(x: Mat[N, C], y: Mat[6, 8], which: Ids[M], i: int) -> None:
    assert_type(x[0], Vector[C])
    assert_type(x[i], Vector[C])
    assert_type(x[:, 0], Vector[N])
    assert_type(x[:], Mat[N, C])
    assert_type(x[..., 0, None], Mat[N, 1])
    assert_type(x[None, 0], Mat[1, C])
    assert_type(y[1:3, ::2], Mat[2, 4])
    assert_type(y[-2:, :-1], Mat[2, 7])
    assert_type(x[which], Mat[M, C])
    assert_type(x[:, which], Mat[N, M])


def reshaped(n: Dim[N], c: Dim[C], x: Mat[N, C], y: Mat[6, 8]) -> None:
    assert_type(y.reshape(4, 12), Mat[4, 12])
    assert_type(y.reshape((3, -1)), Mat[3, 16])
    assert_type(np.reshape(x, (c, n)), Mat[C, N])
    assert_type(x.reshape(-1, 1), Mat["N*C", 1])
    assert_type(x.transpose(), Mat[C, N])
    assert_type(np.transpose(x, (1, 0)), Mat[C, N])
    assert_type(x.swapaxes(0, 1), Mat[C, N])
    assert_type(x.ravel().reshape(n, c), Mat[N, C])


def made(n: Dim[N], x: Mat[N, C], rng: np.random.Generator) -> None:
    assert_type(np.zeros_like(x), Mat[N, C])
    assert_type(np.full_like(x, 3), Mat[N, C])
    assert_type(np.zeros(x.shape, np.float32), Mat[N, C])
    assert_type(np.ones((len(x), 3), np.float32), Mat[N, 3])
    assert_type(np.ascontiguousarray(x.T), Mat[C, N])
    assert_type(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32), Mat[2, 3])
    assert_type(rng.standard_normal((n, 4), dtype=np.float32), Mat[N, 4])
    assert_type(np.arange(12).astype(np.float32).reshape(3, 4), Mat[3, 4])
    noise: Mat[3, 5] = rng.normal(size=(3, 5)).astype(np.float32)
    checked: Mat[N, 7] = mat(n, 7, np.load("file"))


def counted(n: Dim[N], x: Mat[N, C]) -> None:
    assert_type(x / n, Mat[N, C])
    assert_type(n / x, Mat[N, C])
    assert_type(np.divide(x, n), Mat[N, C])
    assert_type(x / x.shape[0], Mat[N, C])


def masked(x: Mat[N, C], y: Mat[N, C]) -> None:
    assert_type((x > 0) & (x < 1), Truth[N, C])
    assert_type(x * ((x > 0) | (x < 1)), Mat[N, C])
    assert_type(np.where((x > 0) & ~(y > 0), x, np.float32(0)), Mat[N, C])
    assert_type(x == y, Truth[N, C])
    assert_type(x != 0, Truth[N, C])


def same_numbers(t: Dim[M], c: Dim[C], x: Mat[N, C], v: Vector[C], which: Ids[A], rng: np.random.Generator) -> None:
    assert_type(x[::-1], Mat[N, C])
    assert_type(x.copy(), Mat[N, C])
    assert_type(np.copy(x), Mat[N, C])
    assert_type(np.nan_to_num(x), Mat[N, C])
    assert_type(np.flip(x), Mat[N, C])
    assert_type(np.roll(x, 1), Mat[N, C])
    assert_type(np.moveaxis(x, 0, 1), Mat[C, N])
    assert_type(x.mT, Mat[C, N])
    assert_type(np.expand_dims(v, 1), Mat[C, 1])
    assert_type(np.repeat(x / t, t, axis=0), Mat["N*M", C])
    assert_type(np.broadcast_to(v, x.shape), Mat[N, C])
    assert_type(np.linalg.norm(x, axis=1, keepdims=True), Mat[N, 1])
    assert_type(np.eye(c, dtype=np.float32)[which], Mat[A, C])
    assert_type(np.ndarray((3, 4), np.float32), Mat[3, 4])
    assert_type(np.zeros([3, 4], np.float32), Mat[3, 4])
    assert_type(rng.permutation(x), Mat[N, C])
    assert_type([row for row in x], list[Vector[C]])
    turned: Mat[C, N] = np.moveaxis(x, 0, 1)
    pair = float(v @ v) + float(x[0] @ x[0])
